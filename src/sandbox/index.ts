export {
  type Capability,
  DEFAULT_LIMITS,
  ENGINE_NAMES,
  type EngineName,
  type HostCall,
  type Job,
  type JobServer,
  type JobTool,
  type Limits,
  type Outcome,
  type Output,
  type Probe,
  type SavedFile,
  type StopReason,
  type Truncated,
  WrittenResult,
} from './engine.js';
export { canProbablyRun, isInstalled } from './engines/installed-engine.js';
export { openSandbox } from './open-sandbox.js';
export type { Sandbox } from './sandbox.js';

export {
  type Capability,
  DEFAULT_IMAGE,
  DEFAULT_LIMITS,
  ENGINE_NAMES,
  type EngineName,
  type GuestError,
  type GuestValue,
  type HostCall,
  type Job,
  type JobServer,
  type JobTool,
  type Limits,
  type Outcome,
  type Output,
  type Probe,
  RUNTIME_NAMES,
  type RuntimeName,
  type SavedFile,
  type StopReason,
  type Truncated,
  WrittenResult,
} from './engine.js';
export { isBelievedToRun, isInstalled } from './installed-engine.js';
export { openSandbox } from './open-sandbox.js';
export type { EngineInfo, Sandbox, SandboxOptions } from './sandbox.js';

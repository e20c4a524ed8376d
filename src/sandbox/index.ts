export { DEFAULT_IMAGE } from './container.js';
export {
  type Capability,
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
} from './engine.js';
export { type EngineInfo, openSandbox, type Sandbox, type SandboxOptions } from './open-sandbox.js';

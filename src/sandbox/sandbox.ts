import type { Log } from '../base/index.js';
import type { Capability, EngineName, Job, Limits, Outcome, Probe } from './engine.js';

export interface EngineInfo {
  readonly name: EngineName;
  readonly version: string;
  readonly guarantees: readonly string[];
}

export interface SandboxOptions {
  /** `auto`, or the name of an engine. */
  readonly engine: string;
  /** For podman and docker. */
  readonly image?: string;
  /** Where snapshots are kept. */
  readonly folder: string;
  readonly log: Log;
}

/** Runs code that nobody vouched for. */
export interface Sandbox extends AsyncDisposable {
  /** The engine that will run the next job; probed once, remembered while it works. Rejects with what to install. */
  engine(): Promise<EngineInfo>;
  /** How one engine fares here. */
  probe(engine: EngineName): Promise<Probe>;
  /** How every engine fares here, for people. */
  probes(): Promise<readonly Probe[]>;
  /** Starts an interpreter, so that the first job need not wait for it. */
  warm(limits: Limits): Promise<void>;
  /** Whatever the code does is an outcome; rejects only if no engine can be started or too many wait. */
  run(job: Job, call: Capability, limits: Limits, signal: AbortSignal): Promise<Outcome>;
  /** Whoever kept state under this key is gone: its interpreter ends now. */
  forget(session: string): Promise<void>;
}

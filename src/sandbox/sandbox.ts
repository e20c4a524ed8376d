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
  /** The container image for podman and docker. */
  readonly image?: string;
  /** The directory of the snapshots. */
  readonly folder: string;
  readonly log: Log;
}

/** Runs untrusted code. */
export interface Sandbox extends AsyncDisposable {
  /** The engine of the next job. It is probed once and kept while it works. Rejects with what to install. */
  engine(): Promise<EngineInfo>;
  /** Probes one engine. */
  probe(engine: EngineName): Promise<Probe>;
  /** Probes every engine, for diagnostics. */
  probes(): Promise<readonly Probe[]>;
  /** Starts an interpreter in advance. */
  warm(limits: Limits): Promise<void>;
  /** Submitted code cannot cause a rejection; it rejects only if no engine starts or too many jobs wait. */
  run(job: Job, call: Capability, limits: Limits, signal: AbortSignal): Promise<Outcome>;
  /** Ends the session of a client that has disconnected. */
  forget(session: string): Promise<void>;
}

import type { Sandbox } from '../../sandbox/index.js';

/** What the gateway needs to run programs. */
export interface PythonDependencies {
  /** Whether an engine is there as far as can be told without starting one; the same while the settings are. */
  readonly isOffered: () => boolean;
  /** The sandbox that the settings ask for, shared with every gateway beside us. */
  readonly sandbox: () => Sandbox;
  readonly stateFolder: string;
  /** Memories are kept for this folder. */
  readonly project: string;
}

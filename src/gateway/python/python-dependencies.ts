import type { Sandbox } from '../../sandbox/index.js';

/** The dependencies for running programs. */
export interface PythonDependencies {
  /** Whether an engine is available, as far as is known without starting one; constant while the settings are. */
  readonly isOffered: () => boolean;
  /** The sandbox of the current settings, shared by all gateways in the daemon. */
  readonly sandbox: () => Sandbox;
  readonly stateFolder: string;
  /** The project directory; memories are kept per project. */
  readonly project: string;
}

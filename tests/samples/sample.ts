import type { Definition } from '../../src/model/index.js';
import type { Platform } from '../support/machine.js';

/** Files of one client, and the expected definitions. */
export interface Sample {
  /** The title of the test. */
  readonly title: string;
  /** The platforms of the sample; default: all three. */
  readonly platforms?: readonly Platform[];
  /**
   * Text by path: `~/…` in the home, `<project>/…` in the project, `/…` in the system. In the text, as in `env`,
   * `<home>`, `<project>` and `<root>` stand for the directories of the machine.
   */
  readonly files: Readonly<Record<string, string>> | ((platform: Platform) => Readonly<Record<string, string>>);
  readonly env?: Readonly<Record<string, string>>;
  /**
   * Every definition in order, each with the fields that matter here; all of its fields must match. `<home>`,
   * `<project>` and `<root>` in a string stand for the directories of the machine.
   */
  readonly expected: readonly Partial<Definition>[] | ((platform: Platform) => readonly Partial<Definition>[]);
  /** The codes of all problems in order; default: none. */
  readonly problems?: readonly string[] | ((platform: Platform) => readonly string[]);
}

export interface Samples {
  /** The client's id in the reference table. */
  readonly client: string;
  readonly samples: readonly Sample[];
}

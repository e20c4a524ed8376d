import type { Plain } from '../config-edit/index.js';
import type { Definition, Host, Scope, State } from '../model/index.js';
import type { Dialect } from './dialect.js';
import type { Expansion } from './expansion.js';
import type { FarFinder } from './find-entries.js';
import type { Document, Format } from './formats/document.js';
import type { Paths, PathTemplate } from './path-template.js';
import type { ProblemDraft } from './problem-draft.js';

/** One program that writes MCP servers down: where, and what it makes of what is written there. */
export interface Client {
  /** Its id in the reference table. */
  readonly id: string;
  readonly name: string;
  readonly places: readonly Place[];
  /** The client's own say over its entries: flags, policy and trust files outside the entry itself. */
  readonly judge?: (world: ReadContext) => Promise<StateRule>;
  /** Lists of servers that this client's settings allow or deny; they count for every client. */
  readonly rules?: (world: ReadContext) => Promise<readonly RuleFile[]>;
  /** Entries of one name are one entry in layers: a higher file may hold only what it changes. */
  readonly layered?: boolean;
}

/** Settings of a client that hold rules for servers, as they are written. */
export interface RuleFile {
  readonly source: string;
  /** An administrator's, a person's own, or brought by a repository. */
  readonly author: 'managed' | 'user' | 'repository';
  readonly value: unknown;
  /** It is there and cannot be read: an administrator's may have forbidden anything. */
  readonly isBroken?: boolean;
}

/** One kind of file in which the client looks for servers. */
export interface Place {
  readonly scope: Scope;
  readonly path: Paths;
  readonly format: Format;
  readonly find: FarFinder;
  readonly dialect: Dialect;
  readonly expansion: Expansion;
  /** Within one client the higher number holds. */
  readonly precedence: number;
  /** What the client makes of an entry here unless its judge or the entry itself says otherwise. */
  readonly state?: Extract<State, 'ready' | 'pending-approval' | 'inventory-only'>;
  /** Places with a rank are read first, in its order; the rest follow as the clients are listed. */
  readonly rank?: number;
  /** What the owner of servers that are found here should know. */
  readonly remark?: ProblemDraft;
  /** While this file is there, readable or not, no other place of any client counts. */
  readonly exclusive?: true;
  /** Of all the paths, only the first that exists counts. */
  readonly firstOnly?: boolean;
  /** A variable that makes the client pass this place over. */
  readonly unless?: string;
  /** The path is a variable that holds the text itself. */
  readonly variable?: string;
  /** Text that was handed over instead of being written anywhere, and what to call that. */
  readonly given?: { readonly source: string; readonly text: string };
  /** The file is another client's, which may replace references that this one leaves alone. */
  readonly borrowed?: true;
  /** How a server is added here, if it is a file that people change. */
  readonly install?: Installation;
  /** How a server is added here for everyone who works in the project. */
  readonly shared?: SharedFile;
  /** Changes the text of a source before it is parsed, where the client does. */
  readonly prepare?: (text: string, host: Host, source: string) => string;
}

/** How one more server is written into a place. */
export interface Installation {
  /** The map of servers, or the list with names inside. */
  readonly key: readonly string[];
  /** Other keys that the client reads instead, where a file has them. */
  readonly otherKeys?: readonly (readonly string[])[];
  readonly list?: true;
  /** The entry as the client spells it; `command` and `args` unless said otherwise. */
  readonly entry?: (program: LaunchCommand, name: string) => Readonly<Record<string, Plain>>;
  /** Which file to make where none is there; the first of the place's paths unless said otherwise. */
  readonly file?: PathTemplate;
  /** What the client wants to see in a new file besides. */
  readonly blank?: string;
}

/** A file of servers in a project. It may be in several folders. */
interface SharedFile {
  readonly key: readonly string[];
  readonly file: PathTemplate;
}

/** What a client is to start. */
export interface LaunchCommand {
  readonly command: string;
  readonly args: readonly string[];
}

/** What a client's judge may look at. */
export interface ReadContext {
  readonly host: Host;
  /** A file beside the servers' own; undefined if there is none or it does not parse. */
  read(path: string, format: Format): Promise<Document | undefined>;
}

/** The verdict on one entry, which is also given as it is written, or undefined where the place's own state stands. */
export type StateRule = (definition: Definition, place: Place, entry: unknown) => Judgement | undefined;

interface Judgement {
  readonly state: State;
  readonly problem?: ProblemDraft;
}

import type { Plain } from '../config-edit/index.js';
import type { Definition, Host, Scope, State } from '../model/index.js';
import type { Dialect } from './dialect.js';
import type { Expansion } from './expansion.js';
import type { AsyncFinder } from './find-entries.js';
import type { Document, Format } from './formats/document.js';
import type { Paths, PathTemplate } from './path-template.js';
import type { ProblemDraft } from './problem-draft.js';

/** A program that stores MCP servers in files: where the files are and how it interprets them. */
export interface Client {
  /** The client's id in the reference table. */
  readonly id: string;
  readonly name: string;
  readonly places: readonly Place[];
  /** The client's decision about its entries, from flags, policies and trust files outside the entry. */
  readonly judge?: (context: ReadContext) => Promise<StateRule>;
  /** Allow and deny lists in the client's settings; they apply to every client. */
  readonly rules?: (context: ReadContext) => Promise<readonly RuleFile[]>;
  /** Entries of one name are merged: one with higher precedence may contain only the fields it changes. */
  readonly layered?: boolean;
}

/** A client's settings that contain rules for servers, unparsed. */
export interface RuleFile {
  readonly source: string;
  /** Managed settings, the user's own, or from a repository. */
  readonly author: 'managed' | 'user' | 'repository';
  readonly value: unknown;
  /** The file exists and cannot be read. If it is managed, everything is denied, because it may deny anything. */
  readonly isBroken?: boolean;
}

/** One kind of file in which the client defines servers. */
export interface Place {
  readonly scope: Scope;
  readonly path: Paths;
  readonly format: Format;
  readonly find: AsyncFinder;
  readonly dialect: Dialect;
  readonly expansion: Expansion;
  /** Within one client the highest number wins. */
  readonly precedence: number;
  /** The state of an entry unless `judge` or the entry itself gives another one. */
  readonly state?: Extract<State, 'ready' | 'pending-approval' | 'inventory-only'>;
  /** Places with a rank are read first, in this order; the rest follow in the order of the clients. */
  readonly rank?: number;
  /** A note for the owner of servers found here. */
  readonly remark?: ProblemDraft;
  /** While this file exists, readable or not, no other place of any client counts. */
  readonly exclusive?: true;
  /** Only the first existing path counts. */
  readonly firstOnly?: boolean;
  /** An environment variable that makes the client skip this place. */
  readonly unless?: string;
  /** The path is an environment variable that contains the text itself. */
  readonly variable?: string;
  /** Text from the command line instead of a file, and its display name. */
  readonly given?: { readonly source: string; readonly text: string };
  /** The file belongs to another client, which may expand references that this one does not. */
  readonly borrowed?: true;
  /** How to add a server here, if people edit this file. */
  readonly install?: Installation;
  /** How to add a server here for everyone who works on the project. */
  readonly shared?: SharedFile;
  /** How one entry is disabled for the client; without it, a take-over removes the entry. */
  readonly off?: OffSwitch | ((path: readonly string[]) => OffSwitch);
  /** The entries of every project, if `find` gives only those of the current one. */
  readonly findEverywhere?: AsyncFinder;
  /** Transforms the text before parsing, as the client does. */
  readonly prepare?: (text: string, host: Host, source: string) => string;
}

/** A field of the entry, or a list of names in the same file. */
export type OffSwitch =
  | { readonly field: readonly string[]; readonly value: boolean }
  | { readonly list: readonly string[] };

/** How a server entry is written to a file. */
export interface Installation {
  /** The path of the map of servers, or of a list with the names inside. */
  readonly key: readonly string[];
  /** Other keys that the client reads instead, if a file has them. */
  readonly otherKeys?: readonly (readonly string[])[];
  readonly list?: true;
  /** The entry in the client's format; by default `command` and `args`. */
  readonly entry?: (program: LaunchCommand, name: string) => Readonly<Record<string, Plain>>;
  /** The file to create if none exists; by default the first path of the place. */
  readonly file?: PathTemplate;
  /** Further content that the client needs in a new file. */
  readonly blank?: string;
}

/** A file of servers in a project, which may exist in several directories. */
interface SharedFile {
  readonly key: readonly string[];
  readonly file: PathTemplate;
}

/** The program that a client should start. */
export interface LaunchCommand {
  readonly command: string;
  readonly args: readonly string[];
}

/** The input of `judge`. */
export interface ReadContext {
  readonly host: Host;
  /** Reads a file beside the servers; undefined if it does not exist or does not parse. */
  read(path: string, format: Format): Promise<Document | undefined>;
}

/** Decides on one entry, also given unparsed. Undefined keeps the state of the place. */
export type StateRule = (definition: Definition, place: Place, entry: unknown) => Judgement | undefined;

interface Judgement {
  readonly state: State;
  readonly problem?: ProblemDraft;
}

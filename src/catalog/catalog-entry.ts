import { isDeepStrictEqual } from 'node:util';
import type { ServerHandshake, SupportedEras } from '../model/index.js';
import type { AdmittedServer } from '../policy/index.js';
import type { Knowledge, Pins } from './catalog-store.js';
import type { ListedTool } from './read-tools.js';
import { type KnownEras, withFound } from './server-eras.js';
import { comparePin, type PinVerdict } from './tool-pins.js';

export interface CatalogTool extends ListedTool {
  readonly pin: PinVerdict;
}

/** The known state of one server. Replaced as a whole, never modified. */
export interface CatalogEntry {
  readonly server: AdmittedServer;
  /** Absent until the server was read for the first time. */
  readonly tools?: readonly CatalogTool[];
  readonly handshake?: ServerHandshake;
  readonly readAt?: number;
  readonly error?: string;
  /** The server has requested the roots of its client, now or in an earlier run. */
  readonly asksForRoots?: true;
  /** The server has sent sampling or elicitation requests to its client, now or in an earlier run. */
  readonly asksClient?: true;
  readonly eras?: KnownEras;
}

/** What the behaviour of a running server showed, beside its lists. */
export type ServerFacts = Pick<CatalogEntry, 'asksForRoots' | 'asksClient' | 'eras'>;

export function factsOf({ asksForRoots, asksClient, eras }: ServerFacts): ServerFacts {
  return { ...(asksForRoots && { asksForRoots }), ...(asksClient && { asksClient }), ...(eras && { eras }) };
}

/** Neither the tools nor a failure are known yet, so a caller may want to wait. */
export function isUnknown({ tools, error }: CatalogEntry): boolean {
  return tools === undefined && error === undefined;
}

export function toEntry(server: AdmittedServer, knowledge: Knowledge, pins: Pins | undefined): CatalogEntry {
  const { tools, handshake, readAt, error } = knowledge;
  return {
    server,
    ...(tools && { tools: withPins(tools, pins) }),
    ...(handshake && { handshake }),
    ...(readAt !== undefined && { readAt }),
    ...(error && { error: error.message }),
    ...factsOf(knowledge),
  };
}

export function withPins(tools: readonly ListedTool[], pins: Pins | undefined): CatalogTool[] {
  return tools.map(({ tool, hash, faults }) => ({ tool, hash, faults, pin: comparePin(pins, { tool, hash, faults }) }));
}

export function knowledgeOf(entry: CatalogEntry | undefined): Knowledge {
  return {
    ...(entry?.tools && { tools: entry.tools.map(({ tool, hash, faults }) => ({ tool, hash, faults })) }),
    ...(entry?.handshake && { handshake: entry.handshake }),
    ...(entry?.readAt !== undefined && { readAt: entry.readAt }),
    ...factsOf(entry ?? {}),
  };
}

/** The same entry with the tools of the known one if they are equal: its other connections need not be compared again. */
export function withKnownTools(entry: CatalogEntry, known: CatalogEntry | undefined): CatalogEntry {
  const tools = known?.tools;
  return tools && isDeepStrictEqual(tools, entry.tools) ? { ...entry, tools } : entry;
}

/** The facts that a start or a request of a server showed. */
export interface NewFacts extends Omit<ServerFacts, 'eras'> {
  readonly eras?: SupportedEras;
}

/** The entry with these facts; the same object if it has them. */
export function withFacts(entry: CatalogEntry, { eras: found, ...facts }: NewFacts, now: number): CatalogEntry {
  const eras = found ? withFound(entry.eras, found, now) : entry.eras;
  const isKnown = eras === entry.eras && Object.keys(facts).every((key) => key in entry);
  return isKnown ? entry : { ...entry, ...facts, ...(eras && { eras }) };
}

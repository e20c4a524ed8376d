import type { ServerHandshake } from '../model/index.js';
import type { AdmittedServer } from '../policy/index.js';
import type { Knowledge, Pins } from './catalog-store.js';
import type { ListedTool } from './read-tools.js';
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
}

/** Neither the tools nor a failure are known yet, so a caller may want to wait. */
export function isUnknown({ tools, error }: CatalogEntry): boolean {
  return tools === undefined && error === undefined;
}

export function toEntry(server: AdmittedServer, knowledge: Knowledge, pins: Pins | undefined): CatalogEntry {
  const { tools, handshake, readAt, error, asksForRoots } = knowledge;
  return {
    server,
    ...(tools && { tools: withPins(tools, pins) }),
    ...(handshake && { handshake }),
    ...(readAt !== undefined && { readAt }),
    ...(error && { error: error.message }),
    ...(asksForRoots && { asksForRoots }),
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
    ...(entry?.asksForRoots && { asksForRoots: entry.asksForRoots }),
  };
}

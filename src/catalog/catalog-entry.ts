import type { ServerHandshake } from '../model/index.js';
import type { AdmittedServer } from '../policy/index.js';
import type { Knowledge, Pins } from './catalog-store.js';
import type { ListedTool } from './read-tools.js';
import { comparePin, type PinVerdict } from './tool-pins.js';

export interface CatalogTool extends ListedTool {
  readonly pin: PinVerdict;
}

/** What is known of one server at one moment. Replaced whole, never edited. */
export interface CatalogEntry {
  readonly server: AdmittedServer;
  /** Absent until the server was read once. */
  readonly tools?: readonly CatalogTool[];
  readonly greeting?: ServerHandshake;
  readonly readAt?: number;
  readonly error?: string;
  /** It wanted to know where its client works, now or when it last ran. */
  readonly asksForRoots?: true;
}

/** Neither its tools are known nor why they are not: whoever asks may want to wait. */
export function isUnknown({ tools, error }: CatalogEntry): boolean {
  return tools === undefined && error === undefined;
}

export function toEntry(server: AdmittedServer, knowledge: Knowledge, pins: Pins | undefined): CatalogEntry {
  const { tools, greeting, readAt, error, asksForRoots } = knowledge;
  return {
    server,
    ...(tools && { tools: withPins(tools, pins) }),
    ...(greeting && { greeting }),
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
    ...(entry?.greeting && { greeting: entry.greeting }),
    ...(entry?.readAt !== undefined && { readAt: entry.readAt }),
    ...(entry?.asksForRoots && { asksForRoots: entry.asksForRoots }),
  };
}

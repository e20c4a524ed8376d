import { cleanText, isObject, isValueDeeperThan, type ProcessIdentity } from '../base/index.js';
import {
  type AnnouncedTransport,
  type EntryFile,
  isFingerprint,
  isServerId,
  type ServerEntry,
  type ServerHttp,
  TRANSPORTS,
} from './server-info.js';

export const MAX_ENTRY_BYTES = 256 * 1024;
const MAX_TEXT_CHARACTERS = 1_024;
const MAX_NAME_CHARACTERS = 128;
const MAX_TRANSPORTS = 16;
const MAX_TOOLS = 256;
const MAX_CAPABILITIES_CHARACTERS = 8 * 1024;
const MAX_DEPTH = 16;
const MAX_PORT = 65_535;
const MAX_PID = 2 ** 31 - 1;
/** Schemes of server URLs; `file:` and `javascript:` are rejected. */
const ADDRESS = /^(?:https?|wss?):$/;

/** Parses the file of one server. Returns undefined if any part is invalid. */
export function parseEntryFile(text: string): EntryFile | undefined {
  const value = parseEntryJson(text);
  if (!isObject(value) || !isServerId(value.id)) return undefined;
  const writer = toIdentity(value.writer);
  const server = toRegistryEntry(value.server);
  if (writer === undefined || server === undefined || server.start_identity.pid !== server.pid) return undefined;
  return { id: value.id, writer, server };
}

/**
 * Parses a server in the format shared by all registries of this kind, with defaults for missing fields. Returns
 * undefined without a name and a pid.
 */
export function toRegistryEntry(value: unknown): ServerEntry | undefined {
  if (!isObject(value) || !isPid(value.pid)) return undefined;
  const name = text(value.name, MAX_NAME_CHARACTERS);
  if (name === '') return undefined;
  return {
    name,
    pid: value.pid,
    stdio_active: value.stdio_active === true,
    http: toHttp(value.http),
    started_at: toTime(value.started_at),
    cwd: text(value.cwd),
    transports: list(value.transports, MAX_TRANSPORTS, toTransport),
    tools: list(value.tools, MAX_TOOLS, (tool) => text(tool, MAX_NAME_CHARACTERS) || undefined),
    capabilities: toCapabilities(value.capabilities),
    ...(isFingerprint(value.fingerprint) && { fingerprint: value.fingerprint }),
    start_identity: toIdentity(value.start_identity) ?? { boot: '', pid: value.pid, start: '' },
    heartbeat: toTime(value.heartbeat),
    heartbeat_uptime: toAmount(value.heartbeat_uptime),
    uptime_seconds: toAmount(value.uptime_seconds),
    requests: Math.floor(toAmount(value.requests)),
  };
}

/** Returns undefined for invalid JSON and for values that nest too deep. */
export function parseEntryJson(written: string): unknown {
  try {
    const value: unknown = JSON.parse(written);
    return isValueDeeperThan(value, MAX_DEPTH) ? undefined : value;
  } catch {
    return undefined;
  }
}

function toIdentity(value: unknown): ProcessIdentity | undefined {
  if (!isObject(value) || !isPid(value.pid)) return undefined;
  const { boot, pid, start } = value;
  if (typeof boot !== 'string' || !/^[\w:[\] -]{0,128}$/.test(boot)) return undefined;
  return typeof start === 'string' && /^\d{0,20}$/.test(start) ? { boot, pid, start } : undefined;
}

function toHttp(value: unknown): ServerHttp {
  if (!isObject(value)) return { enabled: false };
  const host = text(value.host);
  const url = address(value.url);
  const { port } = value;
  return {
    enabled: value.enabled === true,
    ...(host !== '' && { host }),
    ...(Number.isInteger(port) && Number(port) > 0 && Number(port) <= MAX_PORT && { port: Number(port) }),
    ...(url !== undefined && { url }),
  };
}

function toTransport(value: unknown): AnnouncedTransport | undefined {
  if (!isObject(value)) return undefined;
  const type = TRANSPORTS.find((known) => known === value.type);
  if (type === undefined) return undefined;
  const url = address(value.url);
  const path = text(value.path);
  return { type, ...(url !== undefined && { url }), ...(path !== '' && { path }) };
}

function toCapabilities(value: unknown): Readonly<Record<string, unknown>> {
  if (!isObject(value) || isValueDeeperThan(value, MAX_DEPTH)) return {};
  return JSON.stringify(value).length <= MAX_CAPABILITIES_CHARACTERS ? value : {};
}

function address(value: unknown): string | undefined {
  if (typeof value !== 'string' || value.length > MAX_TEXT_CHARACTERS || !URL.canParse(value)) return undefined;
  const url = new URL(value);
  // Returns the normalized URL, because the parser may have dropped characters that a reader sees.
  return ADDRESS.test(url.protocol) ? url.href : undefined;
}

function list<T>(value: unknown, most: number, read: (item: unknown) => T | undefined): readonly T[] {
  if (!Array.isArray(value)) return [];
  return value.slice(0, most).flatMap((item) => read(item) ?? []);
}

function text(value: unknown, most = MAX_TEXT_CHARACTERS): string {
  return typeof value === 'string' ? cleanText(value.slice(0, 4 * most), most).text : '';
}

function toTime(value: unknown): string {
  return typeof value === 'string' && value.length <= 40 && !Number.isNaN(Date.parse(value)) ? value : '';
}

function toAmount(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : 0;
}

function isPid(value: unknown): value is number {
  return Number.isInteger(value) && Number(value) > 0 && Number(value) <= MAX_PID;
}

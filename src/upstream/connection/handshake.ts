import { ErrorCode, isObject, PortolanError } from '../../base/index.js';
import {
  type Conversation,
  type Era,
  LEGACY_VERSIONS,
  META,
  MODERN_VERSION,
  type ServerHandshake,
  type SupportedEras,
  UNSUPPORTED_VERSION,
} from '../../model/index.js';
import { ChannelClosed, RpcError, Undelivered } from '../../rpc/index.js';
import type { CallOptions, Connection } from './connection.js';
import { UnansweredError } from './unanswered-error.js';

/** Timeout of server/discover, after which `initialize` is tried. */
const DISCOVER_MS = 5_000;
/** Timeout of an `initialize` that a server of the current revision need not support. */
const INITIALIZE_MS = 15_000;

/** Capabilities of any possible client, because servers choose their tools by them. A question to a client without one is refused. */
const ANY_CLIENT_CAPABILITIES = {
  sampling: {},
  elicitation: { form: {}, url: {} },
  roots: { listChanged: false },
} as const;

export interface HandshakeOptions {
  readonly client: { readonly name: string; readonly version: string };
  readonly options: CallOptions;
  /** The era to try first; undefined to find out which ones the server supports. */
  readonly era: Era | undefined;
  /** The era to use if the server supports both; by default the newer one. */
  readonly wanted?: Era | undefined;
}

/** The era of a revision. */
export function eraOfVersion(version: string): Era {
  return version === MODERN_VERSION ? 'modern' : 'legacy';
}

/**
 * Tries server/discover of the current revision, then `initialize` of the older ones, on the same channel. Returns which of
 * them succeeded.
 */
export async function handshake(connection: Connection, introduction: HandshakeOptions): Promise<SupportedEras> {
  const { era, wanted } = introduction;
  const greet = era === 'legacy' ? undefined : await discover(connection, introduction);
  if (greet) {
    const tried = wanted === 'legacy' && era === undefined ? await tryInitialize(connection, introduction) : undefined;
    if (tried !== true) greet();
    return { modern: true, ...(tried !== undefined && { legacy: tried }) };
  }
  try {
    await initialize(connection, introduction);
    return { legacy: true, ...(era !== 'legacy' && { modern: false }) };
  } catch (error) {
    // The stored era may be outdated: an updated server may only support the current revision.
    const isRefusal = error instanceof PortolanError && error.code === ErrorCode.ToolExecutionError;
    if (era !== 'legacy' || !isRefusal) throw error;
    const greetAfterAll = await discover(connection, introduction);
    if (!greetAfterAll) throw error;
    greetAfterAll();
    return { legacy: false, modern: true };
  }
}

/** Whether a server that supports the current revision supports the older ones too. */
async function tryInitialize(connection: Connection, introduction: HandshakeOptions): Promise<boolean> {
  const { options } = introduction;
  const timeoutMs = Math.min(options.timeoutMs, INITIALIZE_MS);
  try {
    await initialize(connection, { ...introduction, options: { ...options, timeoutMs } });
    return true;
  } catch (error) {
    // An error without a cause is ours: the response names no revision, or an unknown one.
    const isOdd = error instanceof PortolanError && error.cause === undefined && error.code !== ErrorCode.Cancelled;
    if (isOdd || isEvidence(error)) return false;
    throw error;
  }
}

/** Returns the function that completes the handshake; undefined if the server does not support the current revision. */
async function discover(
  connection: Connection,
  introduction: HandshakeOptions,
  again = false,
): Promise<(() => void) | undefined> {
  const { client, options, era } = introduction;
  const envelope = ({ capabilities, otherCapabilities, logLevel }: Partial<Conversation>) => {
    const more = otherCapabilities?.();
    return {
      [META.version]: MODERN_VERSION,
      [META.capabilities]: more ? { ...more, ...capabilities } : (capabilities ?? ANY_CLIENT_CAPABILITIES),
      [META.client]: client,
      ...(logLevel !== undefined && { [META.logLevel]: logLevel }),
    };
  };
  const timeoutMs = Math.min(options.timeoutMs, era === 'modern' ? options.timeoutMs : DISCOVER_MS);
  try {
    const { value } = await connection.request('server/discover', {}, { ...options, timeoutMs, meta: envelope({}) });
    const { supportedVersions } = value;
    if (!Array.isArray(supportedVersions) || !supportedVersions.includes(MODERN_VERSION)) return undefined;
    return () => {
      connection.setHandshake(readGreeting(value, MODERN_VERSION), envelope);
      connection.listen({ toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true });
    };
  } catch (error) {
    if (isRetryable(error) && !again) return discover(connection, introduction, true);
    if (isEvidence(error)) return undefined;
    throw error;
  }
}

/** A server that refuses a revision lists the supported ones; retry if ours is among them. */
function isRetryable(error: unknown): boolean {
  const cause = error instanceof PortolanError ? error.cause : undefined;
  if (!(cause instanceof RpcError) || cause.fault.code !== UNSUPPORTED_VERSION) return false;
  const { supported } = isObject(cause.fault.data) ? cause.fault.data : {};
  return Array.isArray(supported) && supported.includes(MODERN_VERSION);
}

/** Whether a refusal means that the server only supports older revisions. A lost connection or a refused sign-in does not. */
function isEvidence(error: unknown): boolean {
  if (!(error instanceof PortolanError)) return false;
  if (error.code === ErrorCode.ToolExecutionTimeout || error.code === ErrorCode.ToolExecutionError) return true;
  const { cause } = error;
  if (cause instanceof RpcError) return true;
  if (!(cause instanceof Undelivered))
    return !(cause instanceof ChannelClosed) && error.code !== ErrorCode.ConnectionError;
  if (cause.cause instanceof UnansweredError) return true; // like a timeout over stdio
  const status = cause.cause instanceof Error && 'status' in cause.cause ? cause.cause.status : undefined;
  return typeof status === 'number' && status >= 400 && status < 500 && status !== 401 && status !== 403;
}

async function initialize(connection: Connection, { client, options }: HandshakeOptions): Promise<void> {
  const { value } = await connection.request(
    'initialize',
    { protocolVersion: LEGACY_VERSIONS[0], capabilities: ANY_CLIENT_CAPABILITIES, clientInfo: client },
    options,
  );
  const { protocolVersion } = value;
  if (typeof protocolVersion !== 'string')
    throw connection.connectionError('its answer to initialize names no protocol revision');
  if (!LEGACY_VERSIONS.some((known) => known === protocolVersion)) {
    const shown = JSON.stringify(protocolVersion.slice(0, 40));
    throw connection.connectionError(`it uses protocol revision ${shown}, which Portolan does not support`);
  }
  connection.setHandshake(readGreeting(value, protocolVersion));
  connection.notify('notifications/initialized');
}

function readGreeting(value: Readonly<Record<string, unknown>>, protocolVersion: string): ServerHandshake {
  const { instructions, capabilities } = value;
  const meta = isObject(value._meta) ? value._meta : {};
  const sent = value.serverInfo ?? meta[META.server];
  const info = isObject(sent) ? sent : {};
  return {
    name: typeof info.name === 'string' ? info.name : '',
    version: typeof info.version === 'string' ? info.version : '',
    protocolVersion,
    ...(typeof instructions === 'string' && { instructions }),
    ...(isObject(capabilities) && { capabilities }),
  };
}

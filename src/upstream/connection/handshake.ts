import { ErrorCode, isObject, PortolanError } from '../../base/index.js';
import {
  type Conversation,
  type Era,
  LEGACY_VERSIONS,
  META,
  MODERN_VERSION,
  type ServerHandshake,
  UNSUPPORTED_VERSION,
} from '../../model/index.js';
import { ChannelClosed, RpcError, Undelivered } from '../../rpc/index.js';
import type { CallOptions, Connection } from './connection.js';
import { UnansweredError } from './unanswered-error.js';

/** A server that is silent for this long after the modern greeting is greeted in the old way. */
const DISCOVER_MS = 5_000;

/** All that any client of ours may be able to do: a server lists its tools by it, and whoever cannot is told when it asks. */
const ABILITIES = {
  sampling: {},
  elicitation: { form: {}, url: {} },
  roots: { listChanged: false },
} as const;

export interface HandshakeOptions {
  readonly client: { readonly name: string; readonly version: string };
  readonly options: CallOptions;
  /** What is known of the server from before. */
  readonly era: Era | undefined;
}

/** The era of a revision. */
export function eraOfVersion(version: string): Era {
  return version === MODERN_VERSION ? 'modern' : 'legacy';
}

/** Learns who the server is: first in the way of the current revision, then, on the same road, in the old one. */
export async function handshake(connection: Connection, introduction: HandshakeOptions): Promise<void> {
  if (introduction.era !== 'legacy' && (await discover(connection, introduction))) return;
  try {
    await initialize(connection, introduction);
  } catch (error) {
    // What was known of it may be out of date: a server that was updated need not speak the old way any more.
    const isRefusal = error instanceof PortolanError && error.code === ErrorCode.ToolExecutionError;
    if (introduction.era !== 'legacy' || !isRefusal) throw error;
    if (!(await discover(connection, introduction))) throw error;
  }
}

async function discover(connection: Connection, introduction: HandshakeOptions, again = false): Promise<boolean> {
  const { client, options, era } = introduction;
  const envelope = ({ abilities, lent, logLevel }: Partial<Conversation>) => {
    const more = lent?.();
    return {
      [META.version]: MODERN_VERSION,
      [META.abilities]: more ? { ...more, ...abilities } : (abilities ?? ABILITIES),
      [META.client]: client,
      ...(logLevel !== undefined && { [META.logLevel]: logLevel }),
    };
  };
  const timeoutMs = Math.min(options.timeoutMs, era === 'modern' ? options.timeoutMs : DISCOVER_MS);
  try {
    const { value } = await connection.request('server/discover', {}, { ...options, timeoutMs, meta: envelope({}) });
    const { supportedVersions } = value;
    if (!Array.isArray(supportedVersions) || !supportedVersions.includes(MODERN_VERSION)) return false;
    connection.greeted(readGreeting(value, MODERN_VERSION), envelope);
    connection.listen({ toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true });
    return true;
  } catch (error) {
    if (isRetryable(error) && !again) return discover(connection, introduction, true);
    if (isEvidence(error)) return false;
    throw error;
  }
}

/** A stateless server that refused a revision says which it speaks; if ours is among them, it is asked again. */
function isRetryable(error: unknown): boolean {
  const cause = error instanceof PortolanError ? error.cause : undefined;
  if (!(cause instanceof RpcError) || cause.fault.code !== UNSUPPORTED_VERSION) return false;
  const { supported } = isObject(cause.fault.data) ? cause.fault.data : {};
  return Array.isArray(supported) && supported.includes(MODERN_VERSION);
}

/** Whether a refusal says that the server is of the older kind. One that is gone, or wants to know who we are, says nothing. */
function isEvidence(error: unknown): boolean {
  if (!(error instanceof PortolanError)) return false;
  if (error.code === ErrorCode.ToolExecutionTimeout || error.code === ErrorCode.ToolExecutionError) return true;
  const { cause } = error;
  if (cause instanceof RpcError) return true;
  if (!(cause instanceof Undelivered))
    return !(cause instanceof ChannelClosed) && error.code !== ErrorCode.ConnectionError;
  if (cause.cause instanceof UnansweredError) return true; // as one that is silent on a pipe
  const status = cause.cause instanceof Error && 'status' in cause.cause ? cause.cause.status : undefined;
  return typeof status === 'number' && status >= 400 && status < 500 && status !== 401 && status !== 403;
}

async function initialize(connection: Connection, { client, options }: HandshakeOptions): Promise<void> {
  const { value } = await connection.request(
    'initialize',
    { protocolVersion: LEGACY_VERSIONS[0], capabilities: ABILITIES, clientInfo: client },
    options,
  );
  const { protocolVersion } = value;
  if (typeof protocolVersion !== 'string')
    throw connection.connectionError('its answer to initialize names no revision');
  if (!LEGACY_VERSIONS.some((known) => known === protocolVersion)) {
    const shown = JSON.stringify(protocolVersion.slice(0, 40));
    throw connection.connectionError(`it speaks revision ${shown}, which is not known here`);
  }
  connection.greeted(readGreeting(value, protocolVersion));
  connection.notify('notifications/initialized');
}

function readGreeting(value: Readonly<Record<string, unknown>>, protocolVersion: string): ServerHandshake {
  const { instructions, capabilities } = value;
  const meta = isObject(value._meta) ? value._meta : {};
  const told = value.serverInfo ?? meta[META.server];
  const info = isObject(told) ? told : {};
  return {
    name: typeof info.name === 'string' ? info.name : '',
    version: typeof info.version === 'string' ? info.version : '',
    protocolVersion,
    ...(typeof instructions === 'string' && { instructions }),
    ...(isObject(capabilities) && { capabilities }),
  };
}

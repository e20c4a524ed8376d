import { isObject } from '../../base/index.js';
import { LEGACY_VERSIONS, META } from '../../model/index.js';
import { RpcCode, RpcError } from '../../rpc/index.js';
import type { Introduction } from '../surfaces/surface.js';
import { serverInfo } from './era-adapter.js';

const MAX_NAME_CHARACTERS = 100;
/** The protocol name that servers of the older bridges announced. */
const OLD_PROTOCOLS = ['mcp/1.0'] as const;

/** The client's name, version, protocol and capabilities. */
export interface ClientIntroduction {
  readonly name?: string;
  readonly version?: string;
  readonly pid?: number;
  readonly capabilities?: Readonly<Record<string, unknown>>;
  readonly protocolVersion: string;
  /** Whether it used the `initialize` form of the older bridges. */
  readonly isOld: boolean;
}

/** Parses `initialize`, also in the form of the older bridges, which lists protocols and no revision. */
export function readInitialize(params: Readonly<Record<string, unknown>>): ClientIntroduction {
  const { protocolVersion: wanted, clientInfo, capabilities, processId } = params;
  const info = isObject(clientInfo) ? clientInfo : {};
  const isOld = wanted === undefined && (typeof processId === 'number' || Array.isArray(info.protocols));
  if (typeof wanted !== 'string' && !isOld)
    throw new RpcError(RpcCode.invalidParams, 'initialize has no protocolVersion');
  return {
    protocolVersion: LEGACY_VERSIONS.find((known) => known === wanted) ?? LEGACY_VERSIONS[0],
    isOld,
    ...namedIn(info),
    ...(typeof processId === 'number' && Number.isSafeInteger(processId) && { pid: processId }),
    ...(isObject(capabilities) && { capabilities }),
  };
}

/** The client data that a modern client sends with each request. */
export function readEnvelope(meta: unknown): Pick<ClientIntroduction, 'name' | 'version' | 'capabilities'> {
  const sent = isObject(meta) ? meta : {};
  const info = sent[META.client];
  const capabilities = sent[META.capabilities];
  return { ...namedIn(isObject(info) ? info : {}), ...(isObject(capabilities) && { capabilities }) };
}

function namedIn({ name, version }: Readonly<Record<string, unknown>>): Pick<ClientIntroduction, 'name' | 'version'> {
  return {
    ...(typeof name === 'string' && { name: name.slice(0, MAX_NAME_CHARACTERS) }),
    ...(typeof version === 'string' && { version: version.slice(0, MAX_NAME_CHARACTERS) }),
  };
}

/** The result of `initialize`. */
export function initializeResult(
  { protocolVersion, isOld }: ClientIntroduction,
  { capabilities, instructions }: Introduction,
  version: string,
  more: Readonly<Record<string, unknown>> = {},
): Record<string, unknown> {
  return {
    protocolVersion,
    capabilities: { logging: {}, ...capabilities, ...more },
    serverInfo: { ...serverInfo(version), ...(isOld && { protocols: OLD_PROTOCOLS }) },
    ...(instructions !== undefined && { instructions }),
  };
}

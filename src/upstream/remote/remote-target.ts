import type { AuthProvider } from '@modelcontextprotocol/client';
import { ErrorCode, PortolanError, shellWord } from '../../base/index.js';
import type { Definition } from '../../model/index.js';
import type { AdmittedServer } from '../../policy/index.js';
import { childEnvironment } from '../process/child-environment.js';
import type { Guardian } from '../process/guardian.js';
import { dnsLookup, isLoopbackName, type Lookup } from './address-rules.js';
import { EntryHeaders } from './entry-headers.js';
import { checkedHeaders, type HeaderFields } from './header-rules.js';
import { runHeadersHelper } from './headers-helper.js';
import type { FailureContext } from './remote-failure.js';
import { checkPlace, type RemoteAddress } from './remote-fetch.js';

/** How one signs in to a server. */
interface Access {
  readonly authProvider?: AuthProvider;
  /** What a failed request means for somebody who can sign in; undefined if it has nothing to do with that. */
  readonly explain?: (error: unknown) => Promise<PortolanError | undefined>;
}

/** What was read for the check, so that what is used is what was checked. */
interface CheckedFiles {
  readonly envFileText?: string;
}

/** What a server that is reached over the net needs of the machine and of the settings. */
export interface RemoteSurroundings {
  readonly platform: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  readonly passEnv: readonly string[];
  readonly guardian: Guardian;
  /** The token for hosted connectors. */
  readonly connectorToken?: string;
  readonly access?: (server: AdmittedServer) => Access | undefined;
  readonly lookup?: Lookup;
  /** Checks once more that the approval covers the files, immediately before a program is started; throws if it does not. */
  readonly checkFiles: (server: AdmittedServer) => CheckedFiles;
}

/** A server that is reached over the net, and everything that a request to it needs. */
export interface RemoteTarget extends RemoteAddress, Access {
  /** What a person can do when the server does not take us. */
  readonly refusal: FailureContext['access'];
}

const IDE_HEADER = 'X-Claude-Code-Ide-Authorization';
const CONNECTOR_HEADER = 'X-Mcp-Server-Id';
/** Where the address of a hosted proxy wants the id of the connector. */
const CONNECTOR_PLACE = /\{server_id\}|%7Bserver_id%7D/gi;

/** Runs the helper of the entry if it has one: the argument is the proof that policy let the server in. */
export async function remoteTarget(
  server: AdmittedServer,
  cwd: string,
  surroundings: RemoteSurroundings,
): Promise<RemoteTarget> {
  const { definition } = server;
  const url = urlOf(definition);
  checkPlace(url, url);
  const fixed = checkedHeaders({ ...definition.headers, ...keyOf(definition, url, surroundings) }, 'its headers');
  const { headersHelper: line } = definition;
  const headers = await EntryHeaders.open(
    fixed,
    line === undefined ? undefined : () => askHelper(line, server, url, cwd, surroundings),
  );
  // A key of its own in the entry is what the person meant.
  const access = headers.bringsKey ? undefined : surroundings.access?.(server);
  return {
    ...access,
    url,
    headers,
    lookup: surroundings.lookup ?? dnsLookup,
    refusal: refusalOf(server, headers),
  };
}

export function failureContext({ headers, refusal, explain }: RemoteTarget): FailureContext {
  return { secrets: headers.secrets, access: refusal, ...(explain && { explain }) };
}

function urlOf({ url, transport, id }: Definition): URL {
  if (url === undefined) throw wrong('its entry has no url');
  const written = transport === 'claudeai-proxy' && id !== undefined ? withId(url, id) : url;
  if (!URL.canParse(written)) throw wrong('its url is no address');
  const parsed = new URL(written);
  const spoken = transport === 'ws' ? /^(?:wss?|https?):$/ : /^https?:$/;
  if (!spoken.test(parsed.protocol)) throw wrong(`${parsed.protocol} cannot be spoken to as ${transport}`);
  // What comes after the # is not sent to anybody.
  parsed.hash = '';
  return parsed;
}

function withId(url: string, id: string): string {
  return url.replaceAll(CONNECTOR_PLACE, () => encodeURIComponent(id));
}

function keyOf(definition: Definition, url: URL, { connectorToken }: RemoteSurroundings): HeaderFields {
  const { authToken, transport, id, scope } = definition;
  const isConnector = transport === 'claudeai-proxy';
  // An entry in a file can call itself a connector: the token is only for those that the account itself lists.
  const token = isConnector && scope === 'claudeai' && isConfidential(url) ? connectorToken : undefined;
  return {
    ...(authToken !== undefined && { [IDE_HEADER]: authToken }),
    ...(isConnector && id !== undefined && { [CONNECTOR_HEADER]: id }),
    ...(token !== undefined && { Authorization: `Bearer ${token}` }),
  };
}

/** Nobody reads on the way. */
function isConfidential(url: URL): boolean {
  return url.protocol === 'https:' || isLoopbackName(url);
}

function askHelper(
  line: string,
  server: AdmittedServer,
  url: URL,
  cwd: string,
  { env, passEnv, platform, home, guardian, checkFiles }: RemoteSurroundings,
): Promise<HeaderFields> {
  const { name, definition } = server;
  const own = {
    ...definition.env,
    // The names under which helpers written for Claude Code look.
    CLAUDE_CODE_MCP_SERVER_NAME: name,
    CLAUDE_CODE_MCP_SERVER_URL: url.href,
  };
  const variables = childEnvironment(env, own, passEnv, platform);
  checkFiles(server);
  return runHeadersHelper({ line, env: variables, cwd, home, platform, guardian });
}

function refusalOf({ name, definition }: AdmittedServer, headers: EntryHeaders): FailureContext['access'] {
  if (definition.transport === 'claudeai-proxy')
    return { message: 'it wants a token', hint: 'put the token for hosted connectors into PORTOLAN_CONNECTORS_TOKEN' };
  if (definition.headersHelper !== undefined)
    return { message: 'it does not take what its headersHelper says', hint: 'see what the helper writes' };
  if (headers.bringsKey || definition.authToken !== undefined)
    return {
      message: 'it does not take the key of its entry',
      hint: `see its entry with \`portolan why ${shellWord(name)}\``,
    };
  return { message: 'it wants a sign-in', hint: `ask the user to run: portolan login ${shellWord(name)}` };
}

function wrong(what: string): PortolanError {
  return new PortolanError(ErrorCode.ConnectionError, what);
}

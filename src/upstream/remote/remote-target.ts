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

/** The sign-in of a server. */
interface Access {
  readonly authProvider?: AuthProvider;
  /** Turns an error that needs a sign-in into one with a hint; undefined for other errors. */
  readonly explain?: (error: unknown) => Promise<PortolanError | undefined>;
}

/** The file contents that were checked, so that exactly these are used. */
interface CheckedFiles {
  readonly envFileText?: string;
}

/** What connecting to a remote server needs from the machine and the settings. */
export interface RemoteContext {
  readonly platform: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  readonly passEnv: readonly string[];
  readonly guardian: Guardian;
  /** The token for hosted connectors. */
  readonly connectorToken?: string;
  readonly access?: (server: AdmittedServer) => Access | undefined;
  readonly lookup?: Lookup;
  /** Checks again, right before a program starts, that the approval covers its files; throws if it does not. */
  readonly checkFiles: (server: AdmittedServer) => CheckedFiles;
}

/** A remote server with everything that a request to it needs. */
export interface RemoteTarget extends RemoteAddress, Access {
  /** The message and hint for a refused access. */
  readonly refusal: FailureContext['access'];
}

const IDE_HEADER = 'X-Claude-Code-Ide-Authorization';
const CONNECTOR_HEADER = 'X-Mcp-Server-Id';
/** The placeholder for the connector id in the URL of a hosted proxy. */
const CONNECTOR_PLACE = /\{server_id\}|%7Bserver_id%7D/gi;

/** Resolves the URL and headers of a server, and runs its headers helper. Only policy can create an `AdmittedServer`. */
export async function remoteTarget(server: AdmittedServer, cwd: string, context: RemoteContext): Promise<RemoteTarget> {
  const { definition } = server;
  const url = urlOf(definition);
  checkPlace(url, url);
  const fixed = checkedHeaders({ ...definition.headers, ...keyOf(definition, url, context) }, 'its headers');
  const { headersHelper: line } = definition;
  const headers = await EntryHeaders.open(
    fixed,
    line === undefined ? undefined : () => askHelper(line, server, url, cwd, context),
  );
  // A key in the entry takes precedence over a sign-in.
  const access = headers.bringsKey ? undefined : context.access?.(server);
  return {
    ...access,
    url,
    headers,
    lookup: context.lookup ?? dnsLookup,
    refusal: refusalOf(server, headers),
  };
}

export function failureContext({ headers, refusal, explain }: RemoteTarget): FailureContext {
  return { secrets: headers.secrets, access: refusal, ...(explain && { explain }) };
}

function urlOf({ url, transport, id }: Definition): URL {
  if (url === undefined) throw wrong('its entry has no url');
  const written = transport === 'claudeai-proxy' && id !== undefined ? withId(url, id) : url;
  if (!URL.canParse(written)) throw wrong('its url is not a valid URL');
  const parsed = new URL(written);
  const spoken = transport === 'ws' ? /^(?:wss?|https?):$/ : /^https?:$/;
  if (!spoken.test(parsed.protocol))
    throw wrong(`its url begins with ${parsed.protocol}, which transport ${transport} does not support`);
  // The fragment is never sent.
  parsed.hash = '';
  return parsed;
}

function withId(url: string, id: string): string {
  return url.replaceAll(CONNECTOR_PLACE, () => encodeURIComponent(id));
}

function keyOf(definition: Definition, url: URL, { connectorToken }: RemoteContext): HeaderFields {
  const { authToken, transport, id, scope } = definition;
  const isConnector = transport === 'claudeai-proxy';
  // Any file can declare a connector: send the token only to those that the account itself lists.
  const token = isConnector && scope === 'claudeai' && isConfidential(url) ? connectorToken : undefined;
  return {
    ...(authToken !== undefined && { [IDE_HEADER]: authToken }),
    ...(isConnector && id !== undefined && { [CONNECTOR_HEADER]: id }),
    ...(token !== undefined && { Authorization: `Bearer ${token}` }),
  };
}

/** Whether the connection is encrypted or local. */
function isConfidential(url: URL): boolean {
  return url.protocol === 'https:' || isLoopbackName(url);
}

function askHelper(
  line: string,
  server: AdmittedServer,
  url: URL,
  cwd: string,
  { env, passEnv, platform, home, guardian, checkFiles }: RemoteContext,
): Promise<HeaderFields> {
  const { name, definition } = server;
  const own = {
    ...definition.env,
    // The variable names that helpers for Claude Code expect.
    CLAUDE_CODE_MCP_SERVER_NAME: name,
    CLAUDE_CODE_MCP_SERVER_URL: url.href,
  };
  const variables = childEnvironment(env, own, passEnv, platform);
  checkFiles(server);
  return runHeadersHelper({ line, env: variables, cwd, home, platform, guardian });
}

function refusalOf({ name, definition }: AdmittedServer, headers: EntryHeaders): FailureContext['access'] {
  if (definition.transport === 'claudeai-proxy')
    return { message: 'it requires a token', hint: 'set PORTOLAN_CONNECTORS_TOKEN to the token for hosted connectors' };
  if (definition.headersHelper !== undefined)
    return { message: 'it rejected the headers of its headersHelper', hint: 'check the output of the helper' };
  if (headers.bringsKey || definition.authToken !== undefined)
    return {
      message: 'it rejected the key in its entry',
      hint: `see its entry with \`portolan why ${shellWord(name)}\``,
    };
  return { message: 'it requires a sign-in', hint: `ask the user to run: portolan login ${shellWord(name)}` };
}

function wrong(what: string): PortolanError {
  return new PortolanError(ErrorCode.ConnectionError, what);
}

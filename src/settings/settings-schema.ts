import { z } from 'zod';
import { MAX_SHUTDOWN_MS } from '../base/index.js';

const text = z.string().min(1);
const texts = z.array(text).readonly();
const someTexts = z.array(text).min(1).readonly();
const count = z.int().min(1);
/** The Python interpreter needs at least this much memory. */
const MIN_PYTHON_BYTES = 64 * 1024 * 1024;
const webAddress = z.url({ protocol: /^https?$/ });

/** An additional source of servers. */
const SourceSetting = z.strictObject({
  path: text,
  key: text.exactOptional(),
  format: z.enum(['json', 'jsonc', 'json5', 'toml', 'yaml']).exactOptional(),
});

/** The rule as editors show it; the help, the settings reference and the guide state the same. */
const TOOL_RULES_TEXT = [
  'Any matching rule with "enabled": false disables the tool.',
  'Otherwise any matching rule with "enabled": true enables it.',
  'Otherwise "toolDefault" decides, which is "enabled" if it is not set.',
  'Tags are the union of all matching rules.',
].join(' ');
const PATTERN_TEXT = [
  'A pattern is matched against the tool name, server/tool and the server name.',
  'A pattern with ! excludes if any of the three matches.',
  'It is a glob such as "*issue*" or an expression such as "/issue/i".',
].join(' ');
const TOOL_DEFAULT_TEXT =
  'Decides about tools that no rule enables or disables; "disabled" makes the rules an allow-list.';

const START_TIMEOUTS_TEXT = 'For a server name: how long its start may take until its first response, in milliseconds.';

const ToolRule = z.strictObject({
  pattern: someTexts.describe(PATTERN_TEXT),
  server: text.describe('A glob for server names: it limits the rule to these servers.').exactOptional(),
  enabled: z.boolean().exactOptional(),
  tags: texts.exactOptional(),
});

const ToolRules = z.array(ToolRule).readonly().describe(TOOL_RULES_TEXT);
const ToolDefault = z.enum(['enabled', 'disabled']).describe(TOOL_DEFAULT_TEXT);

/** One server in an allow or deny list, by exactly one of three keys. */
const ServerEntry = z.union(
  [
    z.strictObject({ serverName: text }),
    z.strictObject({ serverCommand: someTexts }),
    z.strictObject({ serverUrl: text }),
  ],
  { error: 'one of {"serverName": …}, {"serverCommand": […]} and {"serverUrl": …}' },
);

const ConnectorSetting = z.strictObject({ name: text, url: webAddress, id: text });

const Cache = z.strictObject({ enabled: z.boolean().exactOptional(), ttl: z.number().min(0).exactOptional() });
const Timeouts = z.strictObject({
  startMs: count.describe('The start of a server until its first response.').exactOptional(),
  installMs: count
    .describe('The same for npx, uvx, docker run and similar, which download the server if it is not cached.')
    .exactOptional(),
  startWaitMs: count
    .describe('How long one call waits for a server that is starting; the start continues.')
    .exactOptional(),
  callMs: count.exactOptional(),
  totalMs: count.exactOptional(),
  idleMs: count.exactOptional(),
  searchMs: count.exactOptional(),
  daemonIdleMs: count.exactOptional(),
  shutdownMs: count.max(MAX_SHUTDOWN_MS).exactOptional(),
});
const Limits = z.strictObject({
  maxResultBytes: count.exactOptional(),
  maxArgumentBytes: count.exactOptional(),
  maxDepth: count.exactOptional(),
  inFlightPerClient: count.exactOptional(),
  inFlightPerServer: count.exactOptional(),
  queue: z.int().min(0).exactOptional(),
  ratePerMinute: count.exactOptional(),
});
const Reconnect = z.strictObject({
  enabled: z.boolean().exactOptional(),
  maxAttempts: z.int().min(0).exactOptional(),
  initialDelayMs: count.exactOptional(),
});
const McpBridge = z.strictObject({
  socketPath: text.exactOptional(),
  autoConnect: z.boolean().exactOptional(),
  askOtherClients: z.boolean().exactOptional(),
  answerForOtherClients: z.boolean().exactOptional(),
  legacyLink: z.boolean().exactOptional(),
  reconnect: Reconnect.exactOptional(),
});
const ClientSetting = z.strictObject({ id: text.exactOptional() });
const Http = z.strictObject({ allowedHosts: texts.exactOptional() });
const Search = z.strictObject({ remember: z.boolean().exactOptional() });
const Sandbox = z.strictObject({
  engine: z.enum(['auto', 'bwrap', 'pyodide', 'deno', 'podman', 'docker', 'off']).exactOptional(),
  image: text.exactOptional(),
  output: z.enum(['text', 'toon']).exactOptional(),
  timeoutMs: count.exactOptional(),
  maxTimeoutMs: count.exactOptional(),
  maxMemoryBytes: z.int().min(MIN_PYTHON_BYTES).exactOptional(),
  maxOutputBytes: count.exactOptional(),
  maxFileBytes: z.int().min(0).exactOptional(),
  maxCalls: z.int().min(0).exactOptional(),
});

/** All settings, as accepted in any file and from a program. Absent keys keep their value. */
export const SettingsFile = z.strictObject({
  /** For editors; has no effect. */
  $schema: z.string().exactOptional(),
  enabled: z.boolean().exactOptional(),
  cache: Cache.exactOptional(),
  sources: z.array(SourceSetting).readonly().exactOptional(),
  toolRules: ToolRules.exactOptional(),
  toolDefault: ToolDefault.exactOptional(),
  approval: z.enum(['project', 'all']).exactOptional(),
  approvalFiles: z.enum(['ask', 'warn', 'off']).exactOptional(),
  elicitation: z.boolean().exactOptional(),
  pins: z.enum(['mark', 'enforce']).exactOptional(),
  correctArguments: z.boolean().exactOptional(),
  allowedMcpServers: z.array(ServerEntry).readonly().exactOptional(),
  deniedMcpServers: z.array(ServerEntry).readonly().exactOptional(),
  allowManagedMcpServersOnly: z.boolean().exactOptional(),
  pluginOnly: z.boolean().exactOptional(),
  connectors: z.array(ConnectorSetting).readonly().exactOptional(),
  connectorsUrl: webAddress.exactOptional(),
  timeouts: Timeouts.exactOptional(),
  startTimeouts: z.record(z.string(), count).describe(START_TIMEOUTS_TEXT).exactOptional(),
  limits: Limits.exactOptional(),
  share: z.record(z.string(), z.enum(['machine', 'workspace', 'session'])).exactOptional(),
  mcpBridge: McpBridge.exactOptional(),
  client: ClientSetting.exactOptional(),
  http: Http.exactOptional(),
  search: Search.exactOptional(),
  sandbox: Sandbox.exactOptional(),
  passEnv: z
    .array(z.string().regex(/^[^=\0]+$/, { error: 'the name of an environment variable' }))
    .readonly()
    .exactOptional(),
});
export type SettingsFile = z.infer<typeof SettingsFile>;

/** The settings that may be written in the wrapper `{"discovery": {…}}`. */
export const DiscoverySection = SettingsFile.pick({
  enabled: true,
  cache: true,
  sources: true,
  toolRules: true,
  toolDefault: true,
});

/** The known keys of each map, for messages about unknown ones. */
export const KNOWN_KEYS: Readonly<Record<string, readonly string[]>> = {
  '': [...Object.keys(SettingsFile.shape), 'discovery'],
  discovery: Object.keys(DiscoverySection.shape),
  cache: Object.keys(Cache.shape),
  timeouts: Object.keys(Timeouts.shape),
  limits: Object.keys(Limits.shape),
  mcpBridge: Object.keys(McpBridge.shape),
  'mcpBridge.reconnect': Object.keys(Reconnect.shape),
  client: Object.keys(ClientSetting.shape),
  http: Object.keys(Http.shape),
  search: Object.keys(Search.shape),
  sandbox: Object.keys(Sandbox.shape),
  'sources[]': Object.keys(SourceSetting.shape),
  'toolRules[]': Object.keys(ToolRule.shape),
  'connectors[]': Object.keys(ConnectorSetting.shape),
};

import { DEFAULT_SHUTDOWN_MS, SAVED_FILE_BYTES } from '../base/index.js';
import type { SettingsFile } from './settings-schema.js';

type Given<K extends keyof SettingsFile> = NonNullable<SettingsFile[K]>;
type Whole<K extends keyof SettingsFile> = Readonly<Required<Given<K>>>;
type Plain<K extends keyof SettingsFile> = Readonly<Given<K>>;

/** Enables, disables or tags tools; a rule without `enabled` only tags. */
export type ToolRule = Given<'toolRules'>[number];
type ServerEntry = Given<'deniedMcpServers'>[number];
type SourceSetting = Given<'sources'>[number];
type ConnectorSetting = Given<'connectors'>[number];

/** The effective settings. Optional settings have no default. */
export interface Settings {
  readonly enabled: boolean;
  /** `ttl` in seconds. */
  readonly cache: Whole<'cache'>;
  readonly sources: readonly SourceSetting[];
  readonly toolRules: readonly ToolRule[];
  /** Applies to a tool that no rule enables or disables. */
  readonly toolDefault: Given<'toolDefault'>;
  readonly approval: Given<'approval'>;
  /** The effect of a change in a file that an approval covers. `approval.files` is accepted, too. */
  readonly approvalFiles: Given<'approvalFiles'>;
  /**
   * Whether Portolan may ask the user through the client to approve a server. `approval.elicitation` is accepted, too.
   */
  readonly elicitation: boolean;
  /** The reaction to a changed tool definition: mark the tool, or block it until someone approves it. */
  readonly pins: Given<'pins'>;
  /** Whether arguments with one possible meaning, such as a number as a string, are corrected instead of refused. */
  readonly correctArguments: boolean;
  /** If absent, every server is allowed; if empty, none. */
  readonly allowedMcpServers?: readonly ServerEntry[];
  readonly deniedMcpServers: readonly ServerEntry[];
  readonly allowManagedMcpServersOnly: boolean;
  readonly pluginOnly: boolean;
  readonly connectors: readonly ConnectorSetting[];
  readonly connectorsUrl?: string;
  readonly timeouts: Whole<'timeouts'>;
  /** By server name; takes precedence over the start timeout in the entry of the server. */
  readonly startTimeouts: Plain<'startTimeouts'>;
  readonly limits: Whole<'limits'>;
  readonly share: Plain<'share'>;
  readonly mcpBridge: Readonly<Pick<Given<'mcpBridge'>, 'socketPath'>> & {
    readonly autoConnect: boolean;
    /** If its client cannot answer a request of a server, another client of this user may, provided it allows that. */
    readonly askOtherClients: boolean;
    readonly answerForOtherClients: boolean;
    /** Whether a daemon with its socket in the user's runtime directory creates the link `/tmp/mcp-bridge.sock`. */
    readonly legacyLink: boolean;
    readonly reconnect: Readonly<Required<NonNullable<Given<'mcpBridge'>['reconnect']>>>;
  };
  readonly client: Plain<'client'>;
  readonly http: Whole<'http'>;
  readonly search: Whole<'search'>;
  /** The sandbox engine and its limits; the image has no default here. */
  readonly sandbox: Readonly<Required<Omit<Given<'sandbox'>, 'image'>>> & Pick<Plain<'sandbox'>, 'image'>;
  readonly passEnv: readonly string[];
}

const MB = 1024 * 1024;

/** The settings if nothing is configured: every server found is enabled. */
export const DEFAULTS: Settings = deepFreeze<Settings>({
  enabled: true,
  cache: { enabled: true, ttl: 3600 },
  sources: [],
  toolRules: [],
  toolDefault: 'enabled',
  approval: 'project',
  approvalFiles: 'ask',
  elicitation: true,
  pins: 'mark',
  correctArguments: true,
  deniedMcpServers: [],
  allowManagedMcpServersOnly: false,
  pluginOnly: false,
  connectors: [],
  timeouts: {
    startMs: 60_000,
    installMs: 300_000,
    startWaitMs: 40_000,
    callMs: 30_000,
    totalMs: 600_000,
    idleMs: 300_000,
    searchMs: 2_000,
    daemonIdleMs: 600_000,
    shutdownMs: DEFAULT_SHUTDOWN_MS,
  },
  startTimeouts: {},
  limits: {
    maxResultBytes: 16 * MB,
    maxArgumentBytes: 4 * MB,
    maxDepth: 128,
    inFlightPerClient: 64,
    inFlightPerServer: 32,
    queue: 256,
    ratePerMinute: 600_000,
  },
  share: {},
  mcpBridge: {
    ...{ autoConnect: true, askOtherClients: false, answerForOtherClients: false, legacyLink: true },
    reconnect: { enabled: true, maxAttempts: 5, initialDelayMs: 1_000 },
  },
  client: {},
  http: { allowedHosts: [] },
  search: { remember: true },
  sandbox: {
    engine: 'auto',
    output: 'text',
    timeoutMs: 30_000,
    maxTimeoutMs: 120_000,
    maxMemoryBytes: 256 * MB,
    maxOutputBytes: 64 * 1024,
    maxFileBytes: SAVED_FILE_BYTES,
    maxCalls: 1_000,
  },
  passEnv: [],
});

/** Freezes a value and everything in it, and returns it. */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  for (const inner of Object.values(value)) deepFreeze(inner);
  return Object.freeze(value);
}

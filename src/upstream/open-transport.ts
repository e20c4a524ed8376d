import { parseEnv } from 'node:util';
import {
  diskFiles,
  ErrorCode,
  isOrdinaryValue,
  isReference,
  isSecretField,
  isSecretName,
  looksSecret,
  maskArgs,
  matchesWildcard,
  PortolanError,
  shellWord,
} from '../base/index.js';
import { type Definition, envFilePath, startFolder } from '../model/index.js';
import type { AdmittedServer } from '../policy/index.js';
import { type Channel, type ChannelListener, StreamChannel, type StreamLimits } from '../rpc/index.js';
import { type Child, startChild } from './process/child.js';
import { childEnvironment } from './process/child-environment.js';
import { openRemote, type RemoteTransport } from './remote/open-remote.js';
import type { RemoteContext } from './remote/remote-target.js';
import { openSocketChannel } from './remote/socket-channel.js';
import { openSdkChannel, type SdkServerFactory } from './sdk-channel.js';

/** What starting a server needs from the machine and the client. */
export interface LaunchEnvironment extends RemoteContext {
  /** The working directory of the client. */
  readonly cwd: string;
  readonly limits: () => StreamLimits;
  /** Values that the user stored for the entry; they are masked whatever they look like. */
  readonly storedValues?: readonly string[];
  /** Servers inside this program, by name. */
  readonly sdkServers?: Readonly<Record<string, SdkServerFactory>>;
}

/** An open channel to a server, with its process and secrets. */
export interface OpenTransport {
  readonly channel: Channel;
  readonly pid?: number;
  /** Values to mask in every text about the server. They change when the headers helper returns new keys. */
  readonly secrets: readonly string[];
  /** Those of them whose name or form is that of a secret. */
  readonly namedSecrets: readonly string[];
  /** The end of its stderr. */
  errorText(): string;
  onErrorText(listener: () => void): void;
}

/** Starts or connects to a server. Only policy can create an `AdmittedServer`. */
export async function openTransport(server: AdmittedServer, context: LaunchEnvironment): Promise<OpenTransport> {
  const { name, definition } = server;
  const { transport } = definition;
  switch (transport) {
    case 'stdio':
      return childTransport(server, context);
    case 'http':
    case 'auto':
    case 'sse':
    case 'ws':
    case 'claudeai-proxy':
      return remoteTransport(server, transport, context);
    case 'socket':
      return socketTransport(name, definition, context);
    case 'sdk':
      return sdkTransport(name, context);
  }
}

const WITHOUT_ERROR_TEXT = { errorText: () => '', onErrorText: () => undefined } as const;

async function sdkTransport(name: string, { sdkServers = {}, limits }: LaunchEnvironment): Promise<OpenTransport> {
  const factory = Object.hasOwn(sdkServers, name) ? sdkServers[name] : undefined;
  if (!factory) throw broken(name, 'it runs inside another program');
  const channel = await openSdkChannel(factory, limits).catch((error: unknown) =>
    Promise.reject(explained(name, error)),
  );
  return { channel, secrets: [], namedSecrets: [], ...WITHOUT_ERROR_TEXT };
}

async function socketTransport(
  name: string,
  { url = '' }: Definition,
  { limits }: LaunchEnvironment,
): Promise<OpenTransport> {
  const channel = await openSocketChannel(url, limits).catch((error: unknown) =>
    Promise.reject(explained(name, error)),
  );
  return { channel, secrets: [], namedSecrets: [], ...WITHOUT_ERROR_TEXT };
}

async function remoteTransport(
  server: AdmittedServer,
  transport: RemoteTransport,
  context: LaunchEnvironment,
): Promise<OpenTransport> {
  const { name, definition } = server;
  const cwd = startFolder(definition, context);
  try {
    const { channel, headers } = await openRemote(server, transport, cwd, context, context.limits);
    const { storedValues = [] } = context;
    const written = [...secretsOf(definition), ...storedValues];
    const named = [...secretsOf(definition, {}, 'named'), ...storedValues];
    return {
      channel,
      get secrets() {
        return [...written, ...headers.secrets];
      },
      get namedSecrets() {
        return [...named, ...headers.secrets];
      },
      ...WITHOUT_ERROR_TEXT,
    };
  } catch (error) {
    throw explained(name, error);
  }
}

function explained(name: string, error: unknown): unknown {
  if (error instanceof PortolanError && error.code === ErrorCode.ServerNotApproved) return error;
  return error instanceof PortolanError ? broken(name, error.message, error.hint) : error;
}

async function childTransport(server: AdmittedServer, context: LaunchEnvironment): Promise<OpenTransport> {
  const { name, definition } = server;
  if (definition.command === undefined) throw broken(name, 'its entry has no command');
  const cwd = startFolder(definition, context);
  // No await from this check to the start of the process, so that files have little time to change.
  const { envFileText } = context.checkFiles(server);
  const own = { ...variablesFromFile(name, definition, cwd, envFileText), ...definition.env };
  const env = childEnvironment(context.env, own, context.passEnv, context.platform);
  const passed = passedVariables(env, context.passEnv);
  const proxies = Object.entries(env).flatMap(([name, value]) => (/_proxy$/i.test(name) ? addressSecrets(value) : []));
  const { storedValues = [] } = context;
  const secretsAmong = (which: Which) => [
    ...secretsOf(definition, { ...passed, ...own }, which),
    ...proxies,
    ...storedValues,
  ];
  const secrets = secretsAmong('every');
  const child = await startChild({
    command: definition.command,
    args: definition.args ?? [],
    env,
    cwd,
    guardian: context.guardian,
    secrets,
  });
  return {
    channel: new ChildChannel(child, context.limits),
    pid: child.pid,
    secrets,
    namedSecrets: secretsAmong('named'),
    errorText: () => child.stderr.text(),
    onErrorText: (listener) => child.stderr.onChange(listener),
  };
}

type Which = 'every' | 'named';

/**
 * The values of an entry to mask: header values, variables with other than ordinary values, and arguments and URL parts
 * that look like secrets. With `named`, only variables whose name or form is that of a secret.
 */
export function secretsOf(
  definition: Definition,
  own: Readonly<Record<string, string>> = {},
  which: Which = 'every',
): string[] {
  const { args = [], url, oauth = {} } = definition;
  const masked = maskArgs(args);
  const hidden = args.filter((arg, at) => arg !== masked[at]);
  return [
    ...hidden.flatMap((arg) => [arg, arg.slice(arg.indexOf('=') + 1)]),
    ...(url === undefined ? [] : addressSecrets(url)),
    ...Object.entries({ ...definition.env, ...own }).flatMap(([name, value]) => {
      const isNamed = isSecretName(name) || looksSecret(value);
      return isNamed || (which === 'every' && !isOrdinaryValue(value)) ? [value] : [];
    }),
    ...Object.values(definition.headers ?? {}).flatMap((value) => [value, ...value.split(' ')]),
    ...(definition.authToken === undefined ? [] : [definition.authToken]),
    // An unresolved reference stays visible, because it names the missing variable.
    ...Object.entries(oauth).flatMap(([name, value]) =>
      isSecretField(name) && !isReference(String(value)) ? [String(value)] : [],
    ),
  ];
}

/** The variables that `passEnv` passes in addition to the allow-list. */
function passedVariables(env: Readonly<Record<string, string>>, passEnv: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).filter(([name]) => passEnv.some((pattern) => matchesWildcard(pattern, name))),
  );
}

/** The password of a URL and its parameters that look like secrets. */
function addressSecrets(text: string): string[] {
  if (!URL.canParse(text)) return [];
  const { password, searchParams } = new URL(text);
  const secret = [...searchParams].filter(([name, value]) => isSecretName(name) || looksSecret(value));
  return [...(password === '' ? [] : [password, decodeURIComponent(password)]), ...secret.map(([, value]) => value)];
}

/** Reads from the checked text, if the file was checked, so that the file cannot change in between. */
function variablesFromFile(
  name: string,
  definition: Definition,
  cwd: string,
  checked: string | undefined,
): Record<string, string> {
  const path = envFilePath(definition, cwd);
  if (path === undefined) return {};
  const reading = checked === undefined ? diskFiles.read(path) : ({ kind: 'read', text: checked } as const);
  if (reading.kind !== 'read')
    throw broken(name, `its envFile ${reading.kind === 'absent' ? 'does not exist' : reading.message}`);
  const variables = Object.entries(parseEnv(reading.text));
  return Object.fromEntries(variables.filter((entry): entry is [string, string] => entry[1] !== undefined));
}

function broken(
  name: string,
  why: string,
  hint = `see its entry with \`portolan why ${shellWord(name)}\``,
): PortolanError {
  return new PortolanError(ErrorCode.ConnectionError, `${name} cannot be started: ${why}`, { hint });
}

/** The wait for the exit of a process after its pipes closed, and then for the rest of its output. */
const EXIT_WAIT_MS = 500;
const OUTPUT_WAIT_MS = 200;

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref());
}

/** The pipes of a child. Reports its close only after the child exited, so that the reason is known. */
class ChildChannel extends StreamChannel {
  readonly #child: Child;

  constructor(child: Child, limits: () => StreamLimits) {
    super(child.stdout, child.stdin, limits);
    this.#child = child;
  }

  override start(listener: ChannelListener): void {
    super.start({ ...listener, onClose: (reason) => void this.#afterExit(listener, reason) });
  }

  override async close(): Promise<void> {
    // In parallel, because stopping also begins with closing stdin.
    await Promise.all([super.close(), this.#child.stop()]);
  }

  async #afterExit(listener: ChannelListener, reason: Error | undefined): Promise<void> {
    const exit = await Promise.race([
      this.#child.exited,
      new Promise<undefined>((resolve) => setTimeout(() => resolve(undefined), EXIT_WAIT_MS).unref()),
    ]);
    // Wait briefly for unread stderr: a descendant may keep the pipe open.
    if (exit) await Promise.race([this.#child.outputClosed, pause(OUTPUT_WAIT_MS)]);
    listener.onClose(exit ? exitReason(exit) : reason);
    // Without its pipes, the server and its descendants are useless.
    await this.#child.stop();
  }
}

function exitReason({ code, signal }: { readonly code: number | null; readonly signal: string | null }): Error {
  return new Error(signal === null ? `it exited with code ${code}` : `it was ended by ${signal}`);
}

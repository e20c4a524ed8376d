import { ErrorCode, type Log, maskTokens, PortolanError, redactor, shellWord } from '../base/index.js';
import type { Era, SupportedEras } from '../model/index.js';
import type { AdmittedServer } from '../policy/index.js';
import { Connection } from './connection/connection.js';
import { eraOfVersion, handshake } from './connection/handshake.js';
import { type LaunchEnvironment, openTransport } from './open-transport.js';
import type { OpenEvents, OpenServer } from './pool/pool.js';
import { errorLines } from './process/error-lines.js';
import { keepServerLog } from './process/server-log.js';

export interface OpenContext extends LaunchEnvironment {
  readonly client: { readonly name: string; readonly version: string };
  readonly startLimit: (server: AdmittedServer) => { readonly ms: number; readonly hint: string };
  /** The protocol era to try first, which saves a failed handshake; undefined to find out which ones it supports. */
  readonly eraOf: (server: AdmittedServer) => Era | undefined;
  /** The era to use if the server supports both. */
  readonly wantedEra?: Era | undefined;
  /** The roots of the client. */
  readonly roots: () => Promise<Record<string, unknown>>;
  /** The directory of the stderr logs for `portolan logs`. */
  readonly logFolder: string;
  readonly log: Log;
}

/** Starts or connects to a server and performs the handshake. */
export async function openServer(
  server: AdmittedServer,
  context: OpenContext,
  events: OpenEvents,
  signal: AbortSignal,
): Promise<OpenServer> {
  const { name, definition } = server;
  const transport = await openTransport(server, context);
  if (transport.pid !== undefined) events.onProcess?.(transport.pid);
  const stderr = keepServerLog(context.logFolder, name, () => transport.errorText(), context.log);
  transport.onErrorText(() => stderr.changed());
  let kept: Promise<void> | undefined;
  const flushStderr = () => {
    // The change event may be pending, but the error message refers to the log, so write it now.
    if (!kept && transport.errorText() !== '') stderr.changed();
    kept ??= Promise.resolve(stderr[Symbol.asyncDispose]());
    return kept;
  };
  const hide = keptRedactor();
  let invalidMessages = 0;
  const connection = new Connection(transport.channel, {
    onNotification: (method, params) => events.onNotification(method, params),
    onAccepted: (method, params) => events.onAccepted?.(method, params),
    onClose: (reason) => {
      events.onClose(reason);
      if (invalidMessages > 0)
        context.log('info', 'lines on stdout that were not JSON-RPC messages', {
          server: name,
          lines: invalidMessages,
        });
      void flushStderr();
    },
    onInvalidMessage: () => {
      invalidMessages += 1;
      if (invalidMessages === 1)
        context.log('warn', 'skipped a line on stdout that is not a JSON-RPC message', { server: name });
    },
    stderrTail: () => errorLines(transport.errorText()),
    logHint: logHint(server),
    // Read the secrets each time: the headers helper may return new keys.
    redact: (text, of) => maskTokens(hide(of === 'result' ? transport.namedSecrets : transport.secrets)(text)),
    roots: context.roots,
    onRootsRequest: () => events.onRootsRequest?.(),
    onClientRequest: () => events.onClientRequest?.(),
  });
  const { ms: timeoutMs, hint } = context.startLimit(server);
  let eras: SupportedEras;
  try {
    const options = { timeoutMs, totalMs: timeoutMs, conversation: { signal } };
    const era = definition.era ?? context.eraOf(server);
    eras = await handshake(connection, { client: context.client, options, era, wanted: context.wantedEra });
  } catch (error) {
    // Read stderr before the close: later output is not the reason of the failure.
    const words = errorLines(transport.errorText());
    await connection.close('it did not start');
    await flushStderr();
    throw startError(server, error, words, hint);
  }
  return {
    connection,
    eras,
    era: eraOfVersion(connection.handshake.protocolVersion),
    ...(transport.pid !== undefined && { pid: transport.pid }),
    close: async (reason) => {
      await connection.close(reason);
      await flushStderr();
    },
  };
}

/** Caches the redactor: a failed result may have a million strings, and the secrets rarely change. */
function keptRedactor(): (secrets: readonly string[]) => (text: string) => string {
  let kept: { readonly secrets: readonly string[]; readonly redact: (text: string) => string } | undefined;
  return (secrets) => {
    const isSame = kept?.secrets.length === secrets.length && kept.secrets.every((one, at) => one === secrets[at]);
    if (!kept || !isSame) kept = { secrets, redact: redactor(secrets) };
    return kept.redact;
  };
}

/** Wraps the error of a failed start with a message that names the server. */
function startError(server: AdmittedServer, error: unknown, words: string, moreTime: string): unknown {
  if (!(error instanceof PortolanError) || error.code === ErrorCode.Cancelled) return error;
  const isLate = error.code === ErrorCode.ToolExecutionTimeout;
  // After an exit the message already has the stderr; after a timeout, add it here.
  const lastOutput = isLate && words !== '' ? `; last output on stderr: ${words}` : '';
  const hint = isLate ? `${logHint(server)}, or ${moreTime}` : (error.hint ?? logHint(server));
  return new PortolanError(ErrorCode.ConnectionError, `${server.name} did not start: ${error.message}${lastOutput}`, {
    hint,
    cause: error,
  });
}

/** Only servers that run as our child have a stderr log. */
function logHint({ name, definition }: AdmittedServer): string {
  return definition.transport === 'stdio'
    ? `see its output with \`portolan logs ${shellWord(name)}\``
    : `check that it runs and that this machine can reach it; \`portolan why ${shellWord(name)}\` shows its address`;
}

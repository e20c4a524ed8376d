import { ErrorCode, type Log, maskTokens, PortolanError, redactor, shellWord } from '../base/index.js';
import type { Era } from '../model/index.js';
import type { AdmittedServer } from '../policy/index.js';
import { Connection } from './connection/connection.js';
import { handshake } from './connection/handshake.js';
import { type LaunchEnvironment, openTransport, STDERR_TAIL_LINES } from './open-transport.js';
import type { OpenEvents, OpenServer } from './pool/pool.js';
import { keepServerLog } from './process/server-log.js';

export interface OpenContext extends LaunchEnvironment {
  readonly client: { readonly name: string; readonly version: string };
  readonly startMs: () => number;
  /** What is known of a server from before: asked in the right way, it answers at once. */
  readonly eraOf: (server: AdmittedServer) => Era | undefined;
  /** The roots of whoever is served. */
  readonly roots: () => Promise<Record<string, unknown>>;
  /** Where the stderr of servers is kept for `portolan logs`. */
  readonly logFolder: string;
  readonly log: Log;
}

/** A server that was started or reached, greeted, and is ready for calls. */
export async function openServer(
  server: AdmittedServer,
  context: OpenContext,
  events: OpenEvents,
  signal: AbortSignal,
): Promise<OpenServer> {
  const { name, definition } = server;
  const transport = await openTransport(server, context);
  const stderr = keepServerLog(context.logFolder, name, () => transport.errorText(), context.log);
  transport.onErrorText(() => stderr.changed());
  let kept: Promise<void> | undefined;
  const flushStderr = () => {
    // The news of the last words may still be on its way; who is told to look for them must find them.
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
        context.log('info', 'lines on stdout that were no messages', { server: name, lines: invalidMessages });
      void flushStderr();
    },
    onInvalidMessage: () => {
      invalidMessages += 1;
      if (invalidMessages === 1)
        context.log('warn', 'server writes on stdout what is no message; skipped', { server: name });
    },
    stderrTail: () => lastLines(transport.errorText()),
    logHint: logHint(server),
    // A helper may give other keys later.
    redact: (text, of) => maskTokens(hide(of === 'result' ? transport.namedSecrets : transport.secrets)(text)),
    roots: context.roots,
    onRootsRequest: () => events.onRootsRequest?.(),
  });
  const timeoutMs = definition.startupTimeoutMs ?? context.startMs();
  try {
    const options = { timeoutMs, totalMs: timeoutMs, conversation: { signal } };
    await handshake(connection, { client: context.client, options, era: definition.era ?? context.eraOf(server) });
  } catch (error) {
    // Before it is told to end: what it says of that is not why it did not start.
    const words = lastLines(transport.errorText());
    await connection.close('it did not start');
    await flushStderr();
    throw startError(server, error, words);
  }
  return {
    connection,
    ...(transport.pid !== undefined && { pid: transport.pid }),
    close: async (reason) => {
      await connection.close(reason);
      await flushStderr();
    },
  };
}

/** A failed result may have a million texts, and the values to hide hardly ever change between two of them. */
function keptRedactor(): (secrets: readonly string[]) => (text: string) => string {
  let kept: { readonly secrets: readonly string[]; readonly redact: (text: string) => string } | undefined;
  return (secrets) => {
    const isSame = kept?.secrets.length === secrets.length && kept.secrets.every((one, at) => one === secrets[at]);
    if (!kept || !isSame) kept = { secrets, redact: redactor(secrets) };
    return kept.redact;
  };
}

function lastLines(text: string): string {
  return text.trim().split('\n').slice(-STDERR_TAIL_LINES).join(' | ');
}

/** Whatever it was, it kept the server from starting. */
function startError(server: AdmittedServer, error: unknown, words: string): unknown {
  if (!(error instanceof PortolanError) || error.code === ErrorCode.Cancelled) return error;
  const isLate = error.code === ErrorCode.ToolExecutionTimeout;
  // One that is gone has had its last words already; one that is only late is asked for them here.
  const said = isLate && words !== '' ? `; its last words: ${words}` : '';
  const hint = isLate ? `${logHint(server)}, or ${moreTime(server)}` : (error.hint ?? logHint(server));
  return new PortolanError(ErrorCode.ConnectionError, `${server.name} did not start: ${error.message}${said}`, {
    hint,
    cause: error,
  });
}

/** Only of what we start ourselves do we hear anything. */
function logHint({ name, definition }: AdmittedServer): string {
  return definition.transport === 'stdio'
    ? `see what it said with \`portolan logs ${shellWord(name)}\``
    : `see that it runs and that the network leads to it; \`portolan why ${shellWord(name)}\` shows its address`;
}

function moreTime({ definition }: AdmittedServer): string {
  return definition.startupTimeoutMs === undefined
    ? 'raise timeouts.startMs'
    : 'raise the time for its start in its own entry';
}

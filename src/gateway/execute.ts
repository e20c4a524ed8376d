import type { Execution } from '../audit/index.js';
import { ErrorCode, isObject, PortolanError, passedJson, unlessAborted } from '../base/index.js';
import type { CatalogEntry } from '../catalog/index.js';
import type { Conversation, ToolResult } from '../model/index.js';
import type { AdmittedServer } from '../policy/index.js';
import { findServerByName, requireAdmitted, serverNotFound } from '../policy/index.js';
import { type CorrectedArguments, certainlyMatches, checkAgainst, correctedArguments } from '../schema-check/index.js';
import type { Settings } from '../settings/index.js';
import type { CallOptions, Lease } from '../upstream/index.js';
import { invalidArguments, withCorrections } from './argument-corrections.js';
import type { GatewayDependencies } from './gateway-dependencies.js';
import { checkArguments } from './limits/call-limits.js';
import { untilStarted } from './start-wait.js';
import { disabledError, isHeld, type ToolView, toolNotFound, viewTools } from './tool-view.js';

/** Optional details of a call. */
export interface CallDetails {
  readonly meta?: Readonly<Record<string, unknown>> | undefined;
  /** Further request parameters beside the tool's name and arguments. */
  readonly extra?: Readonly<Record<string, unknown>> | undefined;
  /** Skip our schema check, because a client that uses one server directly shall get that server's own error. */
  readonly unchecked?: boolean | undefined;
  /** Set if a program made the call; the log tells it apart from the client's own calls. */
  readonly via?: 'run_python' | undefined;
}

interface Call extends CallDetails {
  readonly server: string;
  readonly tool: string;
  readonly toolArguments: unknown;
  readonly conversation: Conversation;
}

type Execute = (call: Call) => Promise<ToolResult>;

/** A tool list read within this time is not read again when a tool name or an argument does not match it. */
export const FRESH_MS = 2_000;

/** The server name under which calls of tools that belong to no server are logged. */
const OWN_NAME = 'portolan';
/** The separator of `--expose all`. */
const SEPARATOR = '__';

/** Errors by which a tool fails, and not the client, a limit or a person. */
const FAILURES: ReadonlySet<Execution['outcome']> = new Set([
  ErrorCode.ToolExecutionError,
  ErrorCode.ToolExecutionTimeout,
]);

export interface Executor {
  readonly execute: Execute;
  /** Logs a call of a tool that was not offered: `server__tool`, or a name without a server. */
  refuseUnknown(tool: string, toolArguments: unknown, conversation: Conversation): void;
  /** Settles when no call is in flight; each call has been logged by then. */
  whenIdle(): Promise<void>;
}

/** Creates the path of a call: find the server, check approval, arguments and limits, call, and log. */
export function executor(parts: GatewayDependencies): Executor {
  let underWay = 0;
  const waiting: (() => void)[] = [];
  // One function rather than layers: each further async layer adds a microtask turn to every call.
  const execute: Execute = async (asked) => {
    const { conversation } = asked;
    let call = asked;
    let corrections: readonly string[] | undefined;
    underWay += 1;
    const started = performance.now();
    let argumentsText = '';
    let server = call.server;
    let outcome: Execution['outcome'] = ErrorCode.ToolExecutionError;
    let bytes = 0;
    let turn: Disposable | undefined;
    let lease: Lease | undefined;
    // Not `using`: its compiled form costs as much as the rest of this function.
    try {
      const { servers, settings } = parts.view();
      const found = findServerByName(servers, call.server);
      server = found?.name ?? call.server; // the log uses one name for all aliases
      argumentsText = checkArguments(call.toolArguments ?? {}, settings.limits).text;
      if (!found) throw serverNotFound(servers, call.server);
      let admitted = found.admitted ?? (await parts.consent(found, conversation)) ?? requireAdmitted(found);
      let view = surelyCallable(admitted, call, parts);
      if (!view) {
        const callable = await fullyChecked(admitted, call, parts);
        ({ view } = callable);
        if (callable.corrected) {
          call = { ...call, toolArguments: callable.corrected.value };
          corrections = callable.corrected.corrections;
          argumentsText = checkArguments(call.toolArguments, settings.limits).text;
        }
      }
      // Await only promises, so that the first of several calls read together is sent before the next one is parsed.
      const entered = parts.gate.enter({ client: conversation.client, server }, conversation.signal);
      turn = entered instanceof Promise ? await entered : entered;
      const leased = parts.pool.leaseAtOnce(admitted, conversation);
      if (leased instanceof Promise) {
        // Only the start detects that the server's files changed since the last scan; ask the user for approval then.
        const approved = leased.catch(async (error: unknown) => {
          const isRefused = error instanceof PortolanError && error.code === ErrorCode.ServerNotApproved;
          const again = isRefused ? await parts.consent(found, conversation) : undefined;
          if (!again) throw error;
          admitted = again;
          return parts.pool.leaseAtOnce(again, conversation);
        });
        lease = await untilStarted(approved, admitted, conversation, parts, (late) => late[Symbol.dispose]());
      } else lease = leased;
      // A restarted server may differ from the approved one, so compare its tool list before the first call.
      const comparing = settings.pins === 'enforce' ? parts.catalog.compare(admitted, lease.connection) : undefined;
      if (comparing) {
        await unlessAborted(comparing, conversation.signal);
        view = surelyCallable(admitted, call, parts) ?? (await fullyChecked(admitted, call, parts)).view;
      }
      const params = paramsOf(call, view);
      const options = optionsFor(call, view, admitted, settings, argumentsText);
      const received = await lease.connection.request('tools/call', params, options);
      const result = corrections ? withCorrections(received, corrections) : received;
      outcome = result.value.isError === true ? 'tool-error' : 'ok';
      parts.uses.called(conversation.client, admitted.name, call.tool, outcome === 'ok' ? 'ok' : 'failed');
      const json = result.json ?? passedJson(result.value);
      bytes = Buffer.byteLength(json);
      return { value: result.value, json };
    } catch (error) {
      if (error instanceof PortolanError) outcome = error.code;
      if (lease && FAILURES.has(outcome)) parts.uses.called(conversation.client, server, call.tool, 'failed');
      throw error;
    } finally {
      lease?.[Symbol.dispose]();
      turn?.[Symbol.dispose]();
      const { tool, via } = call;
      const { client } = conversation;
      const durationMs = performance.now() - started;
      underWay -= 1;
      parts.audit.record({ client, server, tool, argumentsText, outcome, durationMs, bytes, via });
      if (underWay === 0 && waiting.length > 0) for (const go of waiting.splice(0)) go();
    }
  };
  const refuseUnknown: Executor['refuseUnknown'] = (name, toolArguments, { client }) => {
    const { servers, settings } = parts.view();
    const cut = name.indexOf(SEPARATOR);
    const found = cut > 0 ? findServerByName(servers, name.slice(0, cut)) : undefined;
    const named = found
      ? { server: found.name, tool: name.slice(cut + SEPARATOR.length) }
      : { server: OWN_NAME, tool: name };
    const argumentsText = textWithin(toolArguments, settings.limits);
    parts.audit.record({ client, ...named, argumentsText, outcome: ErrorCode.ToolNotFound, durationMs: 0, bytes: 0 });
  };
  const whenIdle = async () => {
    if (underWay > 0) await new Promise<void>((resolve) => waiting.push(resolve));
  };
  return { execute, refuseUnknown, whenIdle };
}

/** The arguments as text; empty if they exceed a limit, because the call is refused for another reason. */
function textWithin(toolArguments: unknown, limits: Settings['limits']): string {
  try {
    return checkArguments(toolArguments ?? {}, limits).text;
  } catch (error) {
    if (!(error instanceof PortolanError)) throw error;
    return '';
  }
}

function paramsOf({ toolArguments, extra }: Call, { listed }: ToolView): Readonly<Record<string, unknown>> {
  const named = { name: listed.tool.name, arguments: isObject(toolArguments) ? toolArguments : {} };
  return extra ? { ...extra, ...named } : named;
}

/** The time limits of the call, and the conversation for questions from its server. */
function optionsFor(
  { conversation, meta, extra, toolArguments }: Call,
  { listed }: ToolView,
  server: AdmittedServer,
  { timeouts }: Settings,
  argumentsText: string,
): CallOptions {
  const timeoutMs = server.definition.timeoutMs ?? timeouts.callMs;
  return {
    server: server.name,
    timeoutMs,
    totalMs: Math.max(timeoutMs, timeouts.totalMs),
    inputSchema: listed.tool.inputSchema,
    meta,
    conversation,
    argumentsText: extra === undefined && isObject(toolArguments) ? argumentsText : undefined,
    // Requested for every client, because progress notifications extend the timeout.
    asksForProgress: true,
  };
}

/** The tool, if the cached list and a quick check suffice to admit the call. */
function surelyCallable(server: AdmittedServer, call: Call, parts: GatewayDependencies): ToolView | undefined {
  const entry = parts.catalog.entry(server.name);
  if (!entry?.tools) return undefined;
  const { judge, settings } = parts.view();
  const view = viewTools(entry, judge, settings.pins).get(call.tool);
  if (!view?.enabled) return undefined;
  return call.unchecked || certainlyMatches(view.listed.tool.inputSchema, call.toolArguments ?? {}) ? view : undefined;
}

/** A tool that may be called, and its arguments if they had to be corrected. */
interface Callable {
  readonly view: ToolView;
  readonly corrected?: CorrectedArguments | undefined;
}

/** The tool, after a complete check. Reads the list once more before it refuses a call that the cached list does not admit. */
async function fullyChecked(server: AdmittedServer, call: Call, parts: GatewayDependencies): Promise<Callable> {
  const { catalog } = parts;
  // Other callers wait for the same read, so cancelling this call only stops its own wait.
  const { conversation } = call;
  const read = () => untilStarted(catalog.refresh(server.name, conversation.era), server, conversation, parts);
  const held = catalog.entry(server.name);
  const entry = held?.tools ? held : await read();
  const isFresh = Date.now() - (entry.readAt ?? 0) < FRESH_MS;
  const first = await fitting(entry, call, parts, isFresh);
  if (first.kind === 'fits') return first;
  if (isFresh) throw first.refusal;
  // If the list cannot be read again, the cached list decides.
  const newer = await read().catch((error: unknown) => {
    if (conversation.signal.aborted) throw error;
    return undefined;
  });
  const second = await fitting(newer ?? entry, call, parts, true);
  if (second.kind === 'fits') return second;
  throw second.refusal;
}

type Fit = ({ readonly kind: 'fits' } & Callable) | { readonly kind: 'refused'; readonly refusal: PortolanError };

async function fitting(
  entry: CatalogEntry,
  { tool, toolArguments, unchecked, via }: Call,
  parts: GatewayDependencies,
  mayCorrect: boolean,
): Promise<Fit> {
  const { judge, settings } = parts.view();
  const views = viewTools(entry, judge, settings.pins);
  const view = views.get(tool);
  if (!view) return { kind: 'refused', refusal: toolNotFound(entry.server.name, tool, views) };
  const refusal = disabledError(entry.server.name, view);
  // Approval of a held tool may change with a new read; a rule does not.
  if (refusal && isHeld(view)) return { kind: 'refused', refusal };
  if (refusal) throw refusal;
  if (unchecked) return { kind: 'fits', view };
  const { inputSchema } = view.listed.tool;
  const verdict = await checkAgainst(inputSchema, toolArguments ?? {});
  if (verdict.kind !== 'invalid') return { kind: 'fits', view };
  // Corrected only by a current schema, and not for a program, which would not see the note.
  const corrected =
    mayCorrect && settings.correctArguments && via === undefined
      ? await correctedArguments(inputSchema, toolArguments)
      : undefined;
  if (corrected) return { kind: 'fits', view, corrected };
  const { name } = entry.server;
  return { kind: 'refused', refusal: await invalidArguments(name, view, toolArguments, verdict.mismatches) };
}

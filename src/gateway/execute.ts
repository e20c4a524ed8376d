import type { Execution } from '../audit/index.js';
import { ErrorCode, isObject, PortolanError, passedJson, unlessAborted } from '../base/index.js';
import type { CatalogEntry } from '../catalog/index.js';
import type { Conversation, ToolResult } from '../model/index.js';
import type { AdmittedServer } from '../policy/index.js';
import { findServerByName, requireAdmitted, serverNotFound } from '../policy/index.js';
import { checkAgainst, fitsSurely, type Mismatch } from '../schema-check/index.js';
import type { Settings } from '../settings/index.js';
import type { CallOptions, Lease } from '../upstream/index.js';
import type { GatewayDependencies } from './gateway-dependencies.js';
import { checkArguments } from './limits/call-limits.js';
import { disabledError, isHeld, type ToolView, toolNotFound, viewTools } from './tool-view.js';

/** What may go with a call. */
export interface CallDetails {
  readonly meta?: Readonly<Record<string, unknown>> | undefined;
  /** What else the request says beside tool and arguments. */
  readonly extra?: Readonly<Record<string, unknown>> | undefined;
  /** The server checks its arguments itself: whoever speaks to it through us shall see its own words. */
  readonly unchecked?: boolean | undefined;
  /** What made the call for the client; the log tells it apart from the client's own. */
  readonly via?: 'run_python' | undefined;
}

interface Call extends CallDetails {
  readonly server: string;
  readonly tool: string;
  readonly toolArguments: unknown;
  readonly conversation: Conversation;
}

type Execute = (call: Call) => Promise<ToolResult>;

/** A list that was read within this time is not read again because a name or an argument did not fit. */
export const FRESH_MS = 2_000;

export interface Executor {
  readonly execute: Execute;
  /** Settles when nothing is under way: each call has its line in the log by then. */
  quiet(): Promise<void>;
}

/** Makes the way of a call: is it there, may it run, do the arguments fit, is there room; then the call, and its line in the log. */
export function executor(parts: GatewayDependencies): Executor {
  let underWay = 0;
  const waiting: (() => void)[] = [];
  // One function from the first look to the last: a call waits once, and each further layer would be one more to wake up.
  const execute: Execute = async (call) => {
    const { conversation } = call;
    underWay += 1;
    const started = performance.now();
    let argumentsText = '';
    let server = call.server;
    let outcome: Execution['outcome'] = ErrorCode.ToolExecutionError;
    let bytes = 0;
    let turn: Disposable | undefined;
    let lease: Lease | undefined;
    // `using` would say the same: what it is compiled to costs as much as the rest of this function.
    try {
      const { servers, settings } = parts.view();
      const found = findServerByName(servers, call.server);
      server = found?.name ?? call.server; // the same server is the same in every line of the log
      argumentsText = checkArguments(call.toolArguments ?? {}, settings.limits).text;
      if (!found) throw serverNotFound(servers, call.server);
      let admitted = found.admitted ?? (await parts.consent(found, conversation)) ?? requireAdmitted(found);
      let view = surelyCallable(admitted, call, parts) ?? (await callable(admitted, call, parts));
      // What is there at once is not awaited: of many calls in one stroke the first shall be on its way while the next is read.
      const entered = parts.gate.enter({ client: conversation.client, server }, conversation.signal);
      turn = entered instanceof Promise ? await entered : entered;
      const leased = parts.pool.leaseAtOnce(admitted, conversation);
      if (leased instanceof Promise) {
        // Its files may have changed since the last scan, which only the start finds out: then the person is asked now.
        lease = await leased.catch(async (error: unknown) => {
          const isRefused = error instanceof PortolanError && error.code === ErrorCode.ServerNotApproved;
          const again = isRefused ? await parts.consent(found, conversation) : undefined;
          if (!again) throw error;
          admitted = again;
          return parts.pool.leaseAtOnce(again, conversation);
        });
      } else lease = leased;
      // What was started anew may be another than what was approved: its own list is asked for before its first call.
      const comparing = settings.pins === 'enforce' ? parts.catalog.compare(admitted, lease.connection) : undefined;
      if (comparing) {
        await unlessAborted(comparing, conversation.signal);
        view = surelyCallable(admitted, call, parts) ?? (await callable(admitted, call, parts));
      }
      const params = paramsOf(call, view);
      const options = optionsFor(call, view, admitted, settings, argumentsText);
      const result = await lease.connection.request('tools/call', params, options);
      outcome = result.value.isError === true ? 'tool-error' : 'ok';
      if (outcome === 'ok' && parts.uses.isWaiting)
        setImmediate(() => parts.uses.worked(conversation.client, admitted.name, call.tool)); // the answer goes first
      const json = result.json ?? passedJson(result.value);
      bytes = Buffer.byteLength(json);
      return { value: result.value, json };
    } catch (error) {
      if (error instanceof PortolanError) outcome = error.code;
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
  const quiet = async () => {
    if (underWay > 0) await new Promise<void>((resolve) => waiting.push(resolve));
  };
  return { execute, quiet };
}

function paramsOf({ toolArguments, extra }: Call, { listed }: ToolView): Readonly<Record<string, unknown>> {
  const named = { name: listed.tool.name, arguments: isObject(toolArguments) ? toolArguments : {} };
  return extra ? { ...extra, ...named } : named;
}

/** How long the call may take, and whom its server may ask meanwhile. */
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
    // Also for those who do not look at it: progress is a sign of life.
    asksForProgress: true,
  };
}

/** The tool, where what is known of it is enough to say that it may be called like this. */
function surelyCallable(server: AdmittedServer, call: Call, parts: GatewayDependencies): ToolView | undefined {
  const entry = parts.catalog.entry(server.name);
  if (!entry?.tools) return undefined;
  const { judge, settings } = parts.view();
  const view = viewTools(entry, judge, settings.pins).get(call.tool);
  if (!view?.enabled) return undefined;
  return call.unchecked || fitsSurely(view.listed.tool.inputSchema, call.toolArguments ?? {}) ? view : undefined;
}

/** The tool, once it is sure that it may be called like this. A list that does not fit is read once more before anything is refused. */
async function callable(server: AdmittedServer, call: Call, parts: GatewayDependencies): Promise<ToolView> {
  const { catalog } = parts;
  // The reading goes on for the others who wait for it; whoever is cancelled meanwhile is answered at once.
  const { signal } = call.conversation;
  const held = catalog.entry(server.name);
  const entry = held?.tools ? held : await unlessAborted(catalog.refresh(server.name), signal);
  const first = await fitting(entry, call, parts);
  if (first.kind === 'fits') return first.view;
  if (Date.now() - (entry.readAt ?? 0) < FRESH_MS) throw first.refusal;
  // What cannot be read again is judged by what is known.
  const newer = await unlessAborted(
    catalog.refresh(server.name).catch(() => undefined),
    signal,
  );
  const second = newer ? await fitting(newer, call, parts) : first;
  if (second.kind === 'fits') return second.view;
  throw second.refusal;
}

type Fit =
  | { readonly kind: 'fits'; readonly view: ToolView }
  | { readonly kind: 'refused'; readonly refusal: PortolanError };

async function fitting(
  entry: CatalogEntry,
  { tool, toolArguments, unchecked }: Call,
  parts: GatewayDependencies,
): Promise<Fit> {
  const { judge, settings } = parts.view();
  const views = viewTools(entry, judge, settings.pins);
  const view = views.get(tool);
  if (!view) return { kind: 'refused', refusal: toolNotFound(entry.server.name, tool, views) };
  const refusal = disabledError(entry.server.name, view);
  // A person may have approved it since it was read; a rule is the same whatever the server lists.
  if (refusal && isHeld(view)) return { kind: 'refused', refusal };
  if (refusal) throw refusal;
  if (unchecked) return { kind: 'fits', view };
  const verdict = await checkAgainst(view.listed.tool.inputSchema, toolArguments ?? {});
  if (verdict.kind !== 'invalid') return { kind: 'fits', view };
  return { kind: 'refused', refusal: invalidArguments(entry.server.name, tool, verdict.mismatches) };
}

function invalidArguments(server: string, tool: string, mismatches: readonly Mismatch[]): PortolanError {
  const said = mismatches.map(({ path, message }) => `${path === '' ? 'arguments' : path} ${message}`).join('; ');
  return new PortolanError(ErrorCode.ToolValidationError, `the arguments do not fit: ${said}`, {
    hint: `get_tool_details of ${server} ${tool} shows what it takes`,
  });
}

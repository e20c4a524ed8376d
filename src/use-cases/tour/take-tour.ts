import { dirname, join } from 'node:path';
import { diskFiles, ErrorCode, isObject, PortolanError } from '../../base/index.js';
import { scanMachine } from '../../discovery/index.js';
import { pendingQuestions, recordRuling } from '../approve-servers.js';
import { launchText } from '../explain.js';
import { openTourClient, type TourClient } from './tour-client.js';
import { EXAMPLES, openTourWorkspace, type TourWorkspace } from './tour-workspace.js';

/** The steps of the tour, in order. */
const TOUR_STEPS = ['found', 'approved', 'search', 'details', 'execute', 'run_python'] as const;
type TourStepName = (typeof TOUR_STEPS)[number];

export interface TourStep {
  readonly name: TourStepName;
  readonly ms: number;
  /** What the step did, in one sentence. */
  readonly did: string;
  /** Details for verbose output. */
  readonly shown: readonly string[];
}

export interface TourOptions {
  /** The directory of `cli.js` and the examples. */
  readonly self: string;
  readonly version: string;
  readonly signal: AbortSignal;
  readonly begins?: (name: TourStepName) => void;
  readonly done: (step: TourStep) => void;
}

/** A generous limit: a directory that cannot be watched is scanned every 30 s. */
const SETTLED_LIMIT_MS = 45_000;
const POLL_MS = 100;

const NEEDS = ["tomorrow's weather in a city", 'open orders of the shop', 'write a note'];

/** A program as an agent would write it: three servers, one result. */
const TOUR_PROGRAM = `import asyncio

orders = (await mcp_orders.list_orders(status="open"))["orders"]
forecasts = await asyncio.gather(*(mcp_weather.get_forecast(city=order["city"]) for order in orders))
late = [order["id"] for order, forecast in zip(orders, forecasts) if forecast["rainMm"] > 10]
note = await mcp_notes.add_note(title="Deliveries that rain may delay", text=", ".join(late))
{"checked": len(orders), "late": late, "note": note["id"]}`;
const TOUR_RESULT = { checked: 4, late: ['A-1002', 'A-1003'], note: 1 };

/** Runs a gateway, a client and three servers in a temporary home and project. */
export async function takeTour(options: TourOptions): Promise<void> {
  const examples = join(dirname(options.self), 'examples');
  if (!diskFiles.exists(join(examples, `${EXAMPLES[0]}.js`))) {
    throw new PortolanError(ErrorCode.ConfigNotFound, `the example servers are not in ${examples}`, {
      hint: 'in a clone, build them with: npm run build',
    });
  }
  await using workspace = await openTourWorkspace(options.self, examples);
  const began = performance.now();
  options.begins?.('found');
  await using client = await openTourClient({ ...options, ...workspace.machine, program: options.self });
  const steps: Readonly<Record<TourStepName, () => Promise<StepResult>>> = {
    found: () => found(client),
    approved: () => approved(client, workspace),
    search: () => search(client),
    details: () => details(client),
    execute: () => execute(client),
    run_python: () => runPython(client, workspace),
  };
  for (const name of TOUR_STEPS) {
    if (options.signal.aborted) throw new PortolanError(ErrorCode.Cancelled, 'the tour was cancelled');
    if (name !== 'found') options.begins?.(name);
    // The first step includes the start of the gateway, as a client experiences it.
    const from = name === 'found' ? began : performance.now();
    const result = await steps[name]();
    options.done({ name, ms: performance.now() - from, ...result });
  }
}

type StepResult = Omit<TourStep, 'name' | 'ms'>;

async function found(client: TourClient): Promise<StepResult> {
  const states = await statesOf(client);
  const waiting = states.filter(({ status }) => status === 'pending-approval');
  if (waiting.length !== EXAMPLES.length) {
    throw unexpected(`${EXAMPLES.length} servers that wait for approval`, states, {
      hint: 'a file of an administrator may change the policy on this machine; check with: portolan doctor',
    });
  }
  // Shows that nothing of a repository runs before it is approved.
  const { data, isError } = await client.call('execute_tool', GENOA);
  const refusal = isObject(data.error) ? data.error.code : undefined;
  if (!isError || refusal !== ErrorCode.ServerNotApproved) throw unexpected('a refusal before approval', data);
  return {
    did: `${waiting.length} servers in ./mcp-servers/*.json; they come from a repository, so they wait for approval`,
    shown: [waiting.map(({ name }) => name).join(', '), `a call is refused with ${refusal}`],
  };
}

async function approved(client: TourClient, { machine }: TourWorkspace): Promise<StepResult> {
  const discovery = await scanMachine(machine);
  const questions = pendingQuestions(discovery);
  const definitions = questions.map(({ server }) => server.definition);
  await recordRuling(definitions, 'approved', discovery, new Date());
  // The running gateway notices the decision by itself.
  const isSettled = (states: readonly State[]) => states.every(({ status }) => status !== 'pending-approval');
  await settled(() => statesOf(client), isSettled, 'the approval to take effect');
  return {
    did: `${questions.length} servers for this run, bound to their exact commands`,
    shown: definitions.map((definition) => `${definition.name}: ${launchText(definition)}`),
  };
}

async function search(client: TourClient): Promise<StepResult> {
  const ask = async () => (await client.call('search_tools', { query: NEEDS.join('\n'), limit: 5 })).data;
  const isWhole = ({ pending }: Readonly<Record<string, unknown>>) => !Array.isArray(pending) || pending.length === 0;
  const { results } = await settled(ask, isWhole, 'the servers to be read');
  const tools = Array.isArray(results) ? results.filter(isObject) : [];
  const names = tools.map(({ server, tool }) => `${server} ${tool}`);
  if (!['weather get_forecast', 'orders list_orders', 'notes add_note'].every((name) => names.includes(name)))
    throw unexpected('a tool for each need', names);
  return {
    did: `${NEEDS.length} needs in plain words, ${names.length} tools found over all servers`,
    shown: tools.map(({ server, tool, summary }) => `${server} ${tool}: ${summary}`),
  };
}

async function details(client: TourClient): Promise<StepResult> {
  const { data } = await client.call('get_tool_details', { server: GENOA.server, tool: GENOA.tool });
  const { properties } = isObject(data.inputSchema) ? data.inputSchema : {};
  if (!isObject(properties) || !isObject(properties.city)) throw unexpected('the schema of the tool', data);
  return {
    did: `${GENOA.server} ${GENOA.tool} with its full schema and an example`,
    shown: [`takes ${JSON.stringify(properties)}`, `for example ${JSON.stringify(data.example)}`],
  };
}

const GENOA = { server: 'weather', tool: 'get_forecast', arguments: { city: 'Genoa' } } as const;

async function execute(client: TourClient): Promise<StepResult> {
  const { text, isError, data } = await client.call('execute_tool', GENOA);
  if (isError || data.city !== GENOA.arguments.city) throw unexpected('a forecast', text);
  return { did: `${GENOA.server} ${GENOA.tool} answered: ${text}`, shown: [] };
}

async function runPython(client: TourClient, { notesFile }: TourWorkspace): Promise<StepResult> {
  if (!(await client.tools()).includes('run_python')) {
    throw new PortolanError(ErrorCode.ToolNotFound, 'run_python is not available: no sandbox engine was found', {
      hint: 'install bubblewrap and python3 (Linux), or add the npm package pyodide; portolan doctor shows what is missing',
    });
  }
  const { data, isError, text } = await client.call('run_python', { code: TOUR_PROGRAM });
  const expected = JSON.stringify(TOUR_RESULT);
  if (isError || JSON.stringify(data.result) !== expected) throw unexpected(expected, text);
  const notes = diskFiles.read(notesFile);
  if (notes.kind !== 'read' || !notes.text.includes(TOUR_RESULT.late.join(', '))) throw unexpected('the note', notes);
  const { checked, late } = TOUR_RESULT;
  return {
    did: `one program over three servers: of ${checked} open orders, rain may delay ${late.join(' and ')}; noted`,
    shown: [...TOUR_PROGRAM.split('\n').filter(Boolean), `→ ${expected}, run by ${String(data.engine)}`],
  };
}

interface State {
  readonly name: string;
  readonly status: string;
}

async function statesOf(client: TourClient): Promise<readonly State[]> {
  const { servers } = (await client.call('list_mcp_servers')).data;
  const all = Array.isArray(servers) ? servers.filter(isObject) : [];
  return all.map(({ name, status }) => ({ name: String(name), status: String(status) }));
}

async function settled<T>(read: () => Promise<T>, holds: (value: T) => boolean, what: string): Promise<T> {
  const ends = performance.now() + SETTLED_LIMIT_MS;
  for (;;) {
    const value = await read();
    if (holds(value)) return value;
    if (performance.now() > ends) throw unexpected(`${what} within ${SETTLED_LIMIT_MS / 1000} s`, value);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

const MAX_SHOWN_CHARACTERS = 500;

function unexpected(
  wanted: string,
  got: unknown,
  { hint = 'PORTOLAN_LOG=debug portolan tour shows details' }: { readonly hint?: string } = {},
): PortolanError {
  const shownValue = (typeof got === 'string' ? got : JSON.stringify(got)).slice(0, MAX_SHOWN_CHARACTERS);
  return new PortolanError(ErrorCode.ToolExecutionError, `expected ${wanted}, got ${shownValue}`, { hint });
}

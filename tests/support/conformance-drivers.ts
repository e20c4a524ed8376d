import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client as NewClient } from '@modelcontextprotocol/client';
import { StdioClientTransport as NewTransport } from '@modelcontextprotocol/client/stdio';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { ResultSchema } from '@modelcontextprotocol/sdk/types.js';
import { configure, environment, PROGRAM as SHIPPED } from './client-over-stdio.js';
import { type Machine, makeMachine } from './machine.js';

const FIXTURE = join(dirname(fileURLToPath(import.meta.url)), '../../conformance/fixture-server.mjs');
/** The built program, or the one of the environment variable. */
export const PROGRAM = process.env.CONFORMANCE_PROGRAM ?? SHIPPED;
const CLIENT_INFO = { name: 'sdk', version: '1' };
const CAPABILITIES = { elicitation: {}, sampling: {}, roots: {} };

export type Json = Record<string, unknown>;
export type Era = 'legacy' | 'modern';

export interface Launch {
  readonly command: string;
  readonly args: string[];
  readonly cwd: string;
  readonly env: Record<string, string>;
}

/** The targets of the scenarios. The fixture alone shows that the scenarios are correct. */
export const TARGETS: Readonly<Record<'the fixture' | 'the gateway', (machine: Machine) => Launch>> = {
  'the fixture': (machine) => launch(machine, [FIXTURE]),
  'the gateway': (machine) => launch(machine, [PROGRAM, 'serve', '--expose', 'fixture']),
};

/** A machine with the fixture as its only server, which supports both protocol eras, or one if `era` is given. */
export function machineWithFixture(era?: Era): Machine {
  const machine = makeMachine();
  configure(machine, { fixture: { command: process.execPath, args: [FIXTURE], ...(era && { era }) } });
  return machine;
}

function launch(machine: Machine, args: string[]): Launch {
  return { command: process.execPath, args, cwd: machine.project, env: environment(machine) };
}

/** A connected client with the messages that it received. */
export interface Talk {
  readonly era: Era;
  request(method: string, params?: Json): Promise<Json>;
  readonly progress: Json[];
  readonly notifications: Json[];
  /** The requests of the server, without protocol fields. */
  readonly asked: Json[];
  close(): Promise<void>;
}

export interface Driver {
  readonly title: string;
  connect(where: Launch): Promise<Talk>;
}

const ANSWERS: Readonly<Record<string, (params: Json) => Json>> = {
  'elicitation/create': ({ requestedSchema }) => ({ action: 'accept', content: filledIn(requestedSchema as Json) }),
  'sampling/createMessage': () => ({
    role: 'assistant',
    content: { type: 'text', text: 'Paris' },
    model: 'none',
    stopReason: 'endTurn',
  }),
  'roots/list': () => ({ roots: [{ uri: 'file:///test/root', name: 'Test Root' }] }),
};

/** Fills each field with its default, its first choice or its name. */
function filledIn({ properties }: { readonly properties?: Readonly<Record<string, FieldSchema>> }): Json {
  return Object.fromEntries(Object.entries(properties ?? {}).map(([name, field]) => [name, valueFor(name, field)]));
}

interface FieldSchema {
  readonly type?: string;
  readonly default?: unknown;
  readonly enum?: readonly string[];
  readonly oneOf?: readonly { readonly const: string }[];
  readonly anyOf?: readonly { readonly const: string }[];
  readonly items?: FieldSchema;
}

function valueFor(name: string, field: FieldSchema): unknown {
  if (field.default !== undefined) return field.default;
  if (field.type === 'boolean') return true;
  if (field.type === 'array') return [valueFor(name, field.items ?? {})];
  return field.enum?.[0] ?? (field.oneOf ?? field.anyOf)?.[0]?.const ?? name;
}

function recorder() {
  const [progress, notifications, asked]: [Json[], Json[], Json[]] = [[], [], []];
  return {
    progress,
    notifications,
    asked,
    answer(method: string, params: Json = {}): Json {
      const { _meta, task, ...rest } = params;
      asked.push({ method, params: rest });
      const give = ANSWERS[method];
      if (!give) throw new Error(`the client does not support ${method}`);
      return give(rest);
    },
  };
}

const versionOne: Driver = {
  title: 'SDK 1',
  async connect(where) {
    const { answer, ...received } = recorder();
    const client = new OldClient(CLIENT_INFO, { capabilities: CAPABILITIES });
    client.fallbackRequestHandler = async ({ method, params }) => answer(method, params);
    client.fallbackNotificationHandler = async ({ method, params }) =>
      void received.notifications.push({ method, params });
    await client.connect(new OldTransport(where));
    return {
      era: 'legacy',
      ...received,
      request: (method, params = {}) =>
        client.request({ method, params }, ResultSchema, { onprogress: (step) => received.progress.push({ ...step }) }),
      close: () => client.close(),
    };
  },
};

function versionTwo(title: string, mode: 'legacy' | 'auto'): Driver {
  return {
    title,
    async connect(where) {
      const { answer, ...received } = recorder();
      const client = new NewClient(CLIENT_INFO, { capabilities: CAPABILITIES, versionNegotiation: { mode } });
      for (const method of ['elicitation/create', 'sampling/createMessage', 'roots/list'] as const)
        client.setRequestHandler(method, async ({ params }) => answer(method, params) as never);
      client.fallbackNotificationHandler = async ({ method, params }) =>
        void received.notifications.push({ method, params });
      await client.connect(new NewTransport(where));
      return {
        era: client.getProtocolEra() === 'modern' ? 'modern' : 'legacy',
        ...received,
        request: async (method, params = {}) =>
          (await client.request({ method, params } as never, {
            onprogress: (step) => {
              // The SDK also reports its own input rounds as progress.
              if (!step.message?.startsWith('Fulfilling input required')) received.progress.push({ ...step });
            },
          })) as Json,
        close: () => client.close(),
      };
    },
  };
}

export const DRIVERS: readonly Driver[] = [
  versionOne,
  versionTwo('SDK 2 in legacy mode', 'legacy'),
  versionTwo('SDK 2 with version negotiation', 'auto'),
];

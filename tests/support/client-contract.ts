import { describe, expect, it } from 'vitest';
import { discover } from '../../src/discovery/index.js';
import { ScanResult } from '../../src/model/index.js';
import { inventoryDialect } from '../../src/sources/dialects/app-dialects.js';
import type { Client } from '../../src/sources/index.js';
import { type Machine, makeMachine, PLATFORMS, type Platform } from './machine.js';
import { allSpots, type Fields, put, type Spot, serialize, type Writer, writerFor } from './places.js';

/** Texts without a server. */
const EMPTY_TEXTS: readonly string[] = [
  ...['', ' \n', '[]', 'null', '{}', '7', '"x"', '{', '{"mcpServers":7}', '{"mcpServers":null}', '{"mcpServers":[7]}'],
  ...['---\n---\n', '\0\0\0', '\uFEFF', '// comment', '<xml/>', '{"mcpServers":{"":{}}}', '{"mcpServers":{"x":[]}}'],
];
const DEEP = 20_000;
/** Deeply nested texts without a server. One platform is enough for them. */
const DEEP_TEXTS: readonly string[] = ['['.repeat(DEEP), `{"mcpServers":${'{"a":'.repeat(DEEP)}1${'}'.repeat(DEEP)}}`];

const CANARY = 'canary-5f2b8c';
/** A reference to a variable in the syntax of every client. */
const REFERENCES =
  '${CANARY} ${env:CANARY} {env:CANARY} $CANARY $env:CANARY %CANARY% ${{ secrets.CANARY }} ${CANARY:-x} {{CANARY}}';
const ODD_NAMES = ['__proto__', 'constructor', 'toString', 'hasOwnProperty'];

/** Tests that every client has to pass. Run them first for a new client. */
export function clientContract(client: Client): void {
  describe.each(PLATFORMS)(`client ${client.id} on %s`, (platform) => {
    const found = (machine: Machine, env: Readonly<Record<string, string>> = {}) =>
      discover(machine.options({ platform, env, clients: [client.id] }));

    it('has only places in the home directory, the project and the system root', () => {
      using machine = makeMachine();
      const files = allSpots(client, machine, platform).filter(({ variable }) => variable === undefined);
      const roots = [machine.home, machine.project, machine.root].map((root) => `${root}/`);
      expect(files.map(({ path }) => path).filter((path) => !roots.some((root) => path.startsWith(root)))).toEqual([]);
    });

    it('reads no server from a file without servers', async () => {
      using machine = makeMachine();
      // An inventory place lists a server if its file exists.
      const spots = allSpots(client, machine, platform).filter(({ place }) => place.dialect !== inventoryDialect);
      for (const text of platform === 'linux' ? [...EMPTY_TEXTS, ...DEEP_TEXTS] : EMPTY_TEXTS) {
        const title = text.slice(0, 40);
        const env = Object.assign({}, ...spots.map((spot) => put(spot, text)));
        const scan = await found(machine, env);
        expect({ title, definitions: scan.definitions, servers: scan.servers }).toEqual({
          title,
          definitions: [],
          servers: [],
        });
        expect(ScanResult.parse(scan)).toEqual(scan);
      }
    });

    it('reports every file with a syntax error', async () => {
      using machine = makeMachine();
      const spots = allSpots(client, machine, platform).filter(
        ({ place }) => !place.firstOnly && !['text', 'front-matter'].includes(place.format),
      );
      const env = Object.assign({}, ...spots.map((spot) => put(spot, '{ "a": ')));
      const { problems } = await found(machine, env);
      const broken = problems.filter(({ code, hint }) => code === 'parse-error' && hint !== '');
      expect(new Set(broken.map(({ source }) => source))).toEqual(new Set(spots.map(({ path }) => path)));
    });

    it('reads a server from each of its places', async () => {
      await eachPlace(client, platform, async ({ spot, writer, machine }) => {
        const env = write(spot, writer, { good: writer.entry(good('good')) });
        const { definitions, ...scan } = await found(machine, env);
        expect(definitions.map(({ client: id, source, name }) => ({ id, source, name }))).toEqual([
          { id: client.id, source: spot.path, name: expect.stringMatching(/good$/) },
        ]);
        expect(ScanResult.parse({ definitions, ...scan })).toEqual({ definitions, ...scan });
      });
    });

    it('returns the same result for a second scan', async () => {
      await eachPlace(client, platform, async ({ spot, writer, machine }) => {
        const env = write(spot, writer, { good: writer.entry(good('good')), worse: {} });
        expect(await found(machine, env)).toEqual(await found(machine, env));
      });
    });

    it('keeps the values of variables out of the written form and of problems', async () => {
      await eachPlace(client, platform, async ({ spot, writer, machine }) => {
        const fields = { ...good('good'), args: [REFERENCES], env: { TOKEN: REFERENCES, A: '$: CANARY' } };
        const env = write(spot, writer, {
          good: writer.entry({ ...fields, url: `https://h.example/?a=${REFERENCES}` }),
        });
        const { definitions, problems } = await found(machine, { ...env, CANARY });
        expect(definitions).toHaveLength(1);
        expect(JSON.stringify([definitions.map(({ written }) => written), problems])).not.toContain(CANARY);
      });
    });

    it('skips only the invalid entry beside a valid one', async () => {
      await eachPlace(client, platform, async ({ spot, writer, machine }) => {
        const entry = writer.entry(good('good'));
        const other = writer.entry(good('bad'));
        const alone = await found(machine, write(spot, writer, { good: entry }));
        for (const bad of [{}, { command: 7 }, { command: [], cmd: {} }, { type: 'x' }, { url: {} }, { env: 'x' }]) {
          const env = write(spot, writer, { good: entry, bad: { ...other, ...bad, ...emptied(other, bad) } });
          const { definitions } = await found(machine, env);
          expect(definitions.filter(({ name }) => name.endsWith('good'))).toEqual(alone.definitions);
        }
      });
    });

    it('accepts names of object properties such as __proto__', async () => {
      await eachPlace(client, platform, async ({ spot, writer, machine }) => {
        const env: Record<string, string> = Object.fromEntries(ODD_NAMES.map((name) => [name, 'odd']));
        const entries = Object.fromEntries(ODD_NAMES.map((name) => [name, writer.entry({ ...good(name), env })]));
        const { definitions, problems } = await found(machine, write(spot, writer, entries));
        const names = definitions.map(({ name }) => name.replace(/^.*:/, '')).sort();
        // A manifest has one server only.
        expect(names).toEqual(names.length === 1 ? ODD_NAMES.slice(0, 1) : [...ODD_NAMES].sort());
        for (const definition of definitions)
          if (definition.env) expect(Object.entries(definition.env)).toEqual(Object.entries(env));
        expect(problems.filter(({ severity }) => severity === 'error')).toEqual([]);
        expect(Object.keys(Object.prototype)).toEqual([]);
      });
    });
  });
}

interface Case {
  readonly spot: Spot;
  readonly writer: Writer;
  readonly machine: Machine;
}

/** Runs `act` for each place, on a new machine. */
async function eachPlace(client: Client, platform: Platform, act: (item: Case) => Promise<void>): Promise<void> {
  for (const place of client.places) {
    using machine = makeMachine();
    const spot = allSpots({ ...client, places: [place] }, machine, platform)[0];
    if (!spot) continue; // the client has no such place on this platform
    const writer = await writerFor(spot, machine, platform);
    // Some files are read, but contain no entries.
    if (writer) await act({ spot, writer, machine });
  }
}

function write(spot: Spot, { document }: Writer, entries: Readonly<Record<string, object>>): Record<string, string> {
  return put(spot, serialize(document(entries), spot.place));
}

function good(name: string): Fields {
  return { name, command: 'node', args: ['server.js'], env: { MODE: 'x' }, url: 'https://h.example/mcp' };
}

/** Null for each field of the entry if `bad` is empty. */
function emptied(entry: object, bad: object): object {
  return Object.keys(bad).length > 0 ? {} : Object.fromEntries(Object.keys(entry).map((key) => [key, null]));
}

import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import fc from 'fast-check';
import { stringify as tomlText } from 'smol-toml';
import { describe, expect, it } from 'vitest';
import { stringify as yamlText } from 'yaml';
import { type EditFormat, readEntry, setEntry } from '../../src/config-edit/index.js';
import { discover } from '../../src/discovery/index.js';
import type { Installation } from '../../src/sources/client.js';
import { parseText } from '../../src/sources/formats/index.js';
import { CLIENTS, type Client, installTargetsOf, originalOf, recordOf, startedFiles } from '../../src/sources/index.js';
import { install, uninstall } from '../../src/use-cases/index.js';
import { type Machine, makeMachine } from '../support/machine.js';
import { hostOn, type Spot, spotsOf, type Writer, writerFor } from '../support/places.js';

/** The clients into which Portolan can be installed, with each of their files that people edit. */
using PROBE = makeMachine();
const ABLE = CLIENTS.filter(
  (client) => client.id !== 'portolan' && installTargetsOf(client, hostOn(PROBE, 'linux')).length > 0,
);
const RUNS = 12;

interface Hand {
  readonly unit: number;
  readonly eol: '\n' | '\r\n';
  readonly end: string;
  readonly comments: boolean;
  readonly mark: boolean;
}

const word = fc.constantFrom('a', 'b', 'c d', 'é', '-x', '--flag=1', '#no', '"q"', '$HOME', '1', 'true');
const name = fc.constantFrom('files', 'memory', 'two words', 'git-x', 'Ünïcode', 'a_b', 'constructor');
const server = fc.record({
  command: fc.constantFrom('node', 'npx', '/usr/bin/tool'),
  args: fc.array(word, { maxLength: 3 }),
  env: fc.dictionary(fc.constantFrom('TOKEN', 'A_B'), fc.constantFrom('x', 'y z', ''), { maxKeys: 2 }),
});
const hand: fc.Arbitrary<Hand> = fc.record({
  unit: fc.constantFrom(0, 2, 4),
  eol: fc.constantFrom('\n', '\r\n'),
  end: fc.constantFrom('', '\n', '\n\n'),
  comments: fc.boolean(),
  mark: fc.boolean(),
});
/** What a person does to the file between the take-over and the undo. */
const edit = fc.constantFrom('none', 'comment', 'add', 'again', 'empty line');

/** The document as a person might have written it. */
function handWritten(value: unknown, { place }: Spot, { unit, eol, end, comments, mark }: Hand): string {
  const plain =
    place.format === 'toml'
      ? tomlText(value)
      : place.format === 'yaml'
        ? yamlText(value, { indent: 2, lineWidth: 0 })
        : unit === 0
          ? JSON.stringify(value)
          : JSON.stringify(value, null, unit);
  const lines = plain.trimEnd().split('\n');
  const sign = place.format === 'toml' || place.format === 'yaml' ? '#' : '//';
  // A comment before the first line and, in JSON, after it.
  const noted = comments ? [`${sign} mine`, ...lines] : lines;
  const marked = mark && place.format === 'json' ? '\uFEFF' : '';
  return `${marked}${noted.join(place.format === 'yaml' ? '\n' : eol)}${end}`;
}

function formatOf({ place }: Spot): EditFormat {
  return place.format === 'toml' || place.format === 'yaml' ? place.format : 'json';
}

async function serversOn(machine: Machine, id: string) {
  const { definitions } = await discover(machine.options({ clients: [id] }));
  return definitions
    .filter(({ client, scope }) => client === id && scope !== 'project')
    .map(({ line: _, source: __, takenOver: ___, ...rest }) => rest);
}

async function parsedFile(path: string, spot: Spot): Promise<unknown> {
  const parsed = await parseText(readFileSync(path, 'utf8'), spot.place.format);
  if (parsed.kind !== 'parsed') throw new Error(`${path} does not parse: ${parsed.message}`);
  return parsed.document.value;
}

interface Case {
  readonly client: Client;
  readonly spot: Spot;
  readonly writer: Writer;
}

/** Clients with a list of servers accept a map, too, but never write one. */
function listWriter({ key }: Installation): Writer {
  const document = (entries: Readonly<Record<string, object>>) =>
    key.reduceRight<unknown>(
      (inner, one) => ({ [one]: inner }),
      Object.entries(entries).map(([named, entry]) => ({ name: named, ...entry })),
    );
  return { entry: ({ command, args, env }) => ({ transport: 'stdio', command, args, env }), document };
}

/** The first file of each kind that the client reads on Linux and a person edits. */
async function casesOf(client: Client, machine: Machine): Promise<Case[]> {
  const cases: Case[] = [];
  for (const place of client.places) {
    if (place.scope !== 'user' || place.remark || place.variable !== undefined) continue;
    const [spot] = spotsOf(place, machine, 'linux').filter(({ path }) => path.startsWith(machine.home));
    const writer = spot && (place.install?.list ? listWriter(place.install) : await writerFor(spot, machine, 'linux'));
    if (spot && writer) cases.push({ client, spot, writer });
  }
  return cases;
}

describe('a take-over of any client', () => {
  it.each(ABLE.map((client) => ({ client, id: client.id })))(
    '$id: discovery stays the same, the client starts nothing, and undo restores it',
    async ({ client }) => {
      using first = makeMachine();
      const cases = await casesOf(client, first);
      for (const { spot, writer } of cases) {
        await fc.assert(
          fc.asyncProperty(
            fc.uniqueArray(name, { minLength: 1, maxLength: 4 }),
            fc.array(server, { minLength: 4, maxLength: 4 }),
            hand,
            edit,
            fc.boolean(),
            async (names, servers, by, change, isInstalledBefore) => {
              using machine = makeMachine();
              const path = machine.path(`~${spot.path.slice(first.home.length)}`);
              const entries = Object.fromEntries(
                names.map((one, n) => [
                  one,
                  writer.entry({
                    name: one,
                    url: 'https://x.example/mcp',
                    ...(servers[n] ?? { command: 'x', args: [], env: {} }),
                  }),
                ]),
              );
              const text = handWritten(writer.document(entries), spot, by);
              machine.write({ [`~${spot.path.slice(first.home.length)}`]: text });
              const options = machine.options({ platform: 'linux' });
              const before = await serversOn(machine, client.id);
              const started = await startedFiles(client, hostOn(machine, 'linux'));
              const able = started.flatMap((file) => file.entries);

              if (isInstalledBefore) await install(client.id, options);
              const copied = readFileSync(path, 'utf8');
              const { takenOver } = await install(client.id, { ...options, takeOver: true });
              const moved = takenOver.flatMap((taken) => taken.moved);
              // Every entry that can be edited is taken over, and Portolan still reads all of them in the same order.
              expect(moved.map((one) => one.name).toSorted()).toEqual(
                able.map(({ definition }) => definition.name).toSorted(),
              );
              expect(await serversOn(machine, client.id)).toEqual(before);
              const still = await startedFiles(client, hostOn(machine, 'linux'));
              expect(still.flatMap((file) => file.entries)).toEqual([]);
              if (moved.length > 0) expect(readFileSync(originalOf(path), 'utf8')).toBe(copied);

              const format = formatOf(spot);
              const now = readFileSync(path, 'utf8');
              const [one] = moved;
              const isAgain = change === 'again' && one?.how.kind === 'removed';
              if (change === 'comment' && format !== 'json') writeFileSync(path, `# by hand\n${now}`);
              if (change === 'comment' && format === 'json') writeFileSync(path, now.replace('{', '{ // by hand\n'));
              if (change === 'empty line') writeFileSync(path, `${now}\n`);
              if (change === 'add')
                writeFileSync(path, await setEntry(now, format, { path: ['byHand'] }, { x: 'y' }).catch(() => now));
              if (isAgain) writeFileSync(path, await setEntry(now, format, one, { name: one.name, command: 'again' }));
              const isEdited = readFileSync(path, 'utf8') !== now;
              const edited = readFileSync(path, 'utf8');

              // Nothing depends on Portolan's own directory.
              rmSync(machine.path('~/.config/portolan'), { recursive: true, force: true });
              const { undone } = await uninstall(client.id, options);
              if (moved.length > 0) expect(undone.map(({ isExact }) => isExact)).toEqual([!isEdited]);
              expect(existsSync(originalOf(path)) || existsSync(recordOf(path))).toBe(false);
              if (!isEdited) {
                expect(readFileSync(path, 'utf8')).toBe(text);
                return;
              }
              // Exactly the entries that were moved are back, and what was written by hand is there.
              for (const { path: at, list } of moved) {
                const [is, was] = [
                  await readEntry(readFileSync(path, 'utf8'), format, { path: at, list }),
                  await readEntry(text, format, { path: at, list }),
                ];
                if (isAgain && at === one?.path) expect(is).toEqual({ name: one?.name, command: 'again' });
                else expect(is).toEqual(was);
              }
              expect(Object.keys(Object(await parsedFile(path, spot))).toSorted()).toEqual(
                Object.keys({
                  ...Object(await valueInText(text, spot)),
                  ...(edited.includes('byHand') && { byHand: {} }),
                }).toSorted(),
              );
              if (change === 'comment') expect(readFileSync(path, 'utf8')).toContain('by hand');
            },
          ),
          { numRuns: RUNS },
        );
      }
      expect(cases.length).toBeGreaterThan(0);
    },
    120_000,
  );
});

async function valueInText(text: string, { place }: Spot): Promise<unknown> {
  const parsed = await parseText(text, place.format);
  return parsed.kind === 'parsed' ? parsed.document.value : undefined;
}

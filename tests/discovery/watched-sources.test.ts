import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import { recordingFiles, watchPaths } from '../../src/app/watch-files.js';
import { diskFiles, silentLog } from '../../src/base/index.js';
import { scanMachine } from '../../src/discovery/index.js';
import { manualClock } from '../fakes/manual-clock.js';
import { configure, connect, fixture, until } from '../support/client-over-stdio.js';
import { makeMachine } from '../support/machine.js';

/** The time limit for reading a change. */
const READ_LIMIT_MS = 1_000;
/** Shorter than the interval of the periodic scan. */
const BEFORE_SWEEP_MS = 20_000;

/** The file patterns of every client, as paths on an empty machine. */
async function patternsOf(): Promise<{ client: string; pattern: string }[]> {
  using machine = makeMachine();
  const { pathReadings } = await scanMachine(machine.options());
  const templates = ({ path }: { path: string }) =>
    path.replace(machine.home, '~').replace(machine.project, '<project>').replace(machine.root, '');
  return pathReadings
    .filter(({ path, found }) => found === 'absent' && path.includes('*'))
    .map((look) => ({ client: look.client, pattern: templates(look) }));
}

const patterns = await patternsOf();

describe('a source that is a directory', () => {
  it('is covered for more than 20 patterns', () => {
    expect(patterns.map(({ pattern }) => pattern)).toEqual(
      expect.arrayContaining(['~/MCPs/*.json', '~/.config/mcp/servers/*.json', '<project>/mcp-servers/*.json']),
    );
    expect(patterns.length).toBeGreaterThan(20);
  });

  it.each(patterns)(
    'is read within a second after a file was added: $pattern of $client',
    async ({ client, pattern }) => {
      using machine = makeMachine();
      const files = recordingFiles(diskFiles);
      const clock = manualClock();
      const found = new Set<string>();
      let scanned: () => void = () => undefined;
      const scan = async () => {
        const { pathReadings } = await scanMachine(machine.options({ files, clients: [client] }));
        for (const { path, found: kind } of pathReadings) if (kind !== 'absent') found.add(path);
        return true;
      };
      await scan();
      using _watch = watchPaths({
        ...files,
        clock,
        log: silentLog,
        changed: async () => {
          await scan();
          scanned();
          return true;
        },
      });
      clock.advance(READ_LIMIT_MS); // the first check, which starts the watchers
      // First the directory does not exist, then it already has a file.
      for (const name of ['first', 'second']) {
        const path = machine.path(pattern.replace('**', 'a/b').replaceAll('*', name));
        const next = new Promise<void>((resolve) => {
          scanned = resolve;
        });
        mkdirSync(dirname(path), { recursive: true });
        writeFileSync(path, '{}');
        await clock.due(READ_LIMIT_MS);
        clock.advance(READ_LIMIT_MS);
        await next;
        await new Promise((resolve) => setImmediate(resolve)); // the check has ended
        expect([...found]).toContain(path);
      }
    },
  );
});

describe('serve', () => {
  it.each(['~/MCPs/new.json', '~/.config/mcp/servers/new.json', '<project>/mcp-servers/new.json'])(
    'lists a server that is added in %s, before the periodic scan',
    async (path) => {
      using machine = makeMachine();
      configure(machine, { own: fixture(['own']) });
      machine.write({ [path.replace('new', 'old')]: '{}' });
      await using client = await connect(machine);
      const names = async () =>
        (await client.ask('list_mcp_servers')).servers.map(({ name }: { name: string }) => name).sort();
      expect(await names()).toEqual(['own']);
      machine.write({ [path]: JSON.stringify({ mcpServers: { late: fixture(['late']) } }) });
      await until(names, (found) => found.length === 2, BEFORE_SWEEP_MS);
      expect(await names()).toEqual(['late', 'own']);
    },
  );
});

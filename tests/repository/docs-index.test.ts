import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { everyCommand } from '../../src/cli/run-command.js';
import { type Document, readDocuments } from '../support/documents.js';
import { program } from '../support/typed-in-documents.js';

const root = join(dirname(fileURLToPath(import.meta.url)), '../..');
const documents = readDocuments(root);
const ARCHITECTURE = 'docs/explanation/architecture.md';
const architecture = readFileSync(join(root, ARCHITECTURE), 'utf8');

/** The documents that a document links to, without anchors. */
function targetsOf({ path, links }: Document): string[] {
  return links
    .filter((link) => !/^[a-z]+:/.test(link))
    .map((link) => link.replace(/#.*$/, ''))
    .filter((file) => file !== '')
    .map((file) => join(dirname(path), file).replaceAll('\\', '/'));
}

describe('the documents', () => {
  it('are all reachable by links from docs/README.md', () => {
    const byPath = new Map(documents.map((document) => [document.path, document]));
    const reached = new Set<string>();
    const waiting = ['docs/README.md'];
    for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
      const document = byPath.get(path);
      if (!document || reached.has(path)) continue;
      reached.add(path);
      // Only links within docs/ count, because a path through README.md would hide a gap in the index.
      waiting.push(...targetsOf(document).filter((target) => target.startsWith('docs/')));
    }
    const all = documents.map(({ path }) => path).filter((path) => path.startsWith('docs/'));
    expect(all.length).toBeGreaterThan(40);
    expect(all.filter((path) => !reached.has(path))).toEqual([]);
  });

  it('are in one of the four directories, except the index and the decision records', () => {
    const known = /^docs\/(?:(?:tutorial|guides|reference|explanation|decisions)\/[\w-]+|README)\.md$/;
    expect(documents.map(({ path }) => path).filter((path) => path.startsWith('docs/') && !known.test(path))).toEqual(
      [],
    );
  });

  it('begin with one title', () => {
    const wrong = documents.filter(({ headings }) => headings.filter(({ depth }) => depth === 1).length !== 1);
    expect(wrong.map(({ path }) => path)).toEqual([]);
  });

  it('include a README with at most 200 lines', () => {
    expect(readFileSync(join(root, 'README.md'), 'utf8').split('\n').length).toBeLessThanOrEqual(200);
  });
});

/** The lines under a heading, up to the next heading of the same depth or above. */
function section(heading: string): string {
  const depth = heading.indexOf(' ');
  const [, rest = ''] = architecture.split(`\n${heading}\n`);
  const end = rest.search(new RegExp(`^#{1,${depth}} `, 'm'));
  return end < 0 ? rest : rest.slice(0, end);
}

function rowsOf(text: string): string[][] {
  return text
    .split('\n')
    .filter((line) => line.startsWith('| ') && !line.startsWith('| ---'))
    .slice(1)
    .map((line) => line.split('|').slice(1, -1));
}

function codeIn(text = ''): string[] {
  return [...text.matchAll(/`([^`]+)`/g)].map(([, word = '']) => word);
}

describe('docs/explanation/architecture.md', () => {
  it('lists every module of src/ once, under four headings from the bottom up', () => {
    const headings = ['### Foundations', '### Definitions', '### Runtime', '### Product'];
    const listed = headings.flatMap((heading) => rowsOf(section(heading)).flatMap(([module]) => codeIn(module)));
    const table = readFileSync(join(root, 'tests/repository/architecture.test.ts'), 'utf8');
    const [, rows = ''] = /Readonly<Record<string, readonly string\[\]>> = \{\n([\s\S]*?)\n\};/.exec(table) ?? [];
    expect(listed).toEqual([...rows.matchAll(/^ {2}'?([\w-]+)'?: \[/gm)].map(([, module]) => module));
    const folders = readdirSync(join(root, 'src')).filter((name) => statSync(join(root, 'src', name)).isDirectory());
    expect([...listed].sort()).toEqual(folders.sort());
  });

  it('names at least twenty changes and only files that exist', () => {
    const rows = rowsOf(section('## To change X, open Y'));
    expect(rows.length).toBeGreaterThanOrEqual(20);
    expect(rows.filter(([, files]) => codeIn(files).length === 0)).toEqual([]);
    const missing = rows.flatMap(([, files]) => codeIn(files)).filter((path) => !existsSync(join(root, path)));
    expect(missing).toEqual([]);
  });

  const diagrams = [...architecture.matchAll(/^## (.+)\n(?:(?!^## )[\s\S])*?```mermaid\n([\s\S]*?)\n```/gm)].map(
    ([, title = '', text = '']) => ({ title, lines: text.split('\n').map((line) => line.trim()) }),
  );

  it('has a sequence diagram for discovery, a call and a connection', () => {
    expect(diagrams.map(({ title }) => title)).toEqual([
      'A config file becomes a server',
      'A tool call',
      'A client connects through the daemon',
    ]);
  });

  it.each(diagrams)('draws "$title" with participants that are files and messages between them', ({ lines }) => {
    const [kind, ...rest] = lines;
    expect(kind).toBe('sequenceDiagram');
    const participants = new Map(
      rest.flatMap((line) => {
        const [, id = '', name = ''] = /^participant (\w+) as (.+)$/.exec(line) ?? [];
        return id === '' ? [] : [[id, name] as const];
      }),
    );
    const files = [...participants.values()].filter((name) => name !== 'client');
    const mentioned = rest.flatMap((line) => line.match(/[\w-]+(?:\/[\w-]+)+\.ts/g) ?? []);
    expect([...files, ...mentioned].filter((path) => !existsSync(join(root, 'src', path)))).toEqual([]);
    const wrong = rest.filter((line) => {
      if (/^(?:participant \w+ as .+|(?:loop|opt) .+|end)$/.test(line)) return false;
      const [, from = '', to = ''] = /^(\w+)--?>>(\w+): [^;#]+$/.exec(line) ?? [];
      return !participants.has(from) || !participants.has(to);
    });
    expect(wrong).toEqual([]);
    const count = (pattern: RegExp) => rest.filter((line) => pattern.test(line)).length;
    expect(count(/^(?:loop|opt) /)).toBe(count(/^end$/));
  });
});

it('lists every command in docs/reference/commands.md', async () => {
  const text = readFileSync(join(root, 'docs/reference/commands.md'), 'utf8');
  const names = (await everyCommand(program)).map(({ name }) => name);
  expect(names.length).toBeGreaterThan(20);
  expect(names.filter((name) => !new RegExp(`^\\|.*\`portolan ${name}\\b.*\\|$`, 'm').test(text))).toEqual([]);
});

it('states in README.md and the scopes how many clients and places the reference table has', () => {
  const rows: readonly { readonly client: string }[] = JSON.parse(
    readFileSync(join(root, 'tests/reference/clients.json'), 'utf8'),
  );
  const stated = `${new Set(rows.map(({ client }) => client)).size} clients in ${rows.length} places`;
  for (const path of ['README.md', 'docs/reference/scopes.md'])
    expect(readFileSync(join(root, path), 'utf8')).toContain(stated);
});

it('names every setting in docs/reference/settings.md with its default', async () => {
  const { DEFAULTS } = await import('../../src/settings/default-settings.js');
  const { leavesOf } = await import('../../src/settings/setting-keys.js');
  const text = readFileSync(join(root, 'docs/reference/settings.md'), 'utf8');
  const stated = new Map(
    [...text.matchAll(/^\| `([\w.]+)` \| (.+?) \|/gm)].map(([, key = '', value = '']) => [
      key,
      value.replaceAll('`', ''),
    ]),
  );
  const wrong = [...leavesOf(DEFAULTS)].filter(([key, value]) => stated.get(key) !== JSON.stringify(value));
  expect(wrong).toEqual([]);
});

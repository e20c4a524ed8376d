import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { CLIENTS } from '../src/sources/index.js';
import { install, knownClients } from '../src/use-cases/index.js';
import { makeMachine, PLATFORMS, type Platform } from './machine.js';

/** With this set the documents are written and not compared: `npm run docs`. */
const isWriting = process.env.PORTOLAN_WRITE_DOCS === '1';
const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const [README, CLIENTS_PAGE] = [join(root, 'README.md'), join(root, 'docs', 'clients.md')];
const [BEGIN, END] = ['<!-- made by npm run docs: clients -->', '<!-- end -->'];

interface SetUp {
  readonly id: string;
  readonly name: string;
  readonly text: string;
  readonly files: Readonly<Partial<Record<Platform, string>>>;
}

/** What `portolan install` really writes, on a machine of each kind where nothing is yet. */
async function setUpOf(id: string): Promise<SetUp> {
  const files: Partial<Record<Platform, string>> = {};
  let text = '';
  for (const platform of PLATFORMS) {
    using machine = makeMachine();
    const made = await install(id, { ...machine.options({ platform }), npx: true }).catch(() => undefined);
    if (!made) continue;
    files[platform] = shownPath(made.file.path, machine.home, machine.project);
    if (text === '') text = readFileSync(made.file.path, 'utf8').trimEnd();
  }
  const name = CLIENTS.find((client) => client.id === id)?.name ?? id;
  return { id, name, text, files };
}

function shownPath(path: string, home: string, project: string): string {
  return path.replaceAll('\\', '/').replace(home, '~').replace(project, '.');
}

const LANGUAGES: Readonly<Record<string, string>> = { '.toml': 'toml', '.yaml': 'yaml', '.yml': 'yaml', '.md': 'yaml' };

function section({ id, name, text, files }: SetUp): string {
  const paths = Object.values(files);
  const language = LANGUAGES[extname(paths[0] ?? '')] ?? 'json';
  const where =
    new Set(paths).size === 1
      ? `\`${paths[0]}\``
      : PLATFORMS.flatMap((platform) => (files[platform] ? [`${SYSTEMS[platform]}: \`${files[platform]}\``] : [])).join(
          '\n',
        );
  return [
    `## ${name}`,
    '',
    `\`portolan install ${id}\` writes this:`,
    '',
    where.replaceAll('\n', '  \n'),
    '',
    `\`\`\`${language}`,
    text,
    '```',
  ].join('\n');
}

const SYSTEMS: Readonly<Record<Platform, string>> = { linux: 'Linux', darwin: 'macOS', win32: 'Windows' };

function page(all: readonly SetUp[]): string {
  const head =
    '# Set-up for each client\n\nMade by `npm run docs` from the table that the code uses; a test compares it. From a clone or a tarball `portolan install` writes `node <path>/dist/cli.js` in place of `npx -y portolan`, and on Windows `cmd /c npx -y portolan`. `portolan install <client> --remove` takes the entry out again.\n';
  return `${[head.trimEnd(), ...all.map(section)].join('\n\n')}\n`;
}

function table(all: readonly SetUp[]): string {
  const rows = all.map(
    ({ id, name, files }) =>
      `| ${name} | \`portolan install ${id}\` | \`${files.linux ?? files.darwin ?? files.win32}\` |`,
  );
  return ['| client | command | file (Linux, else macOS or Windows) |', '| --- | --- | --- |', ...rows].join('\n');
}

describe('the set-up of each client in the documents', () => {
  it('is what portolan install writes', async () => {
    const all = await Promise.all((await knownClients()).map(setUpOf));
    expect(all.length).toBeGreaterThan(40);
    expect(all.filter(({ text }) => text === '').map(({ id }) => id)).toEqual([]);
    const readme = readFileSync(README, 'utf8');
    const [before, rest] = readme.split(BEGIN);
    const after = rest?.slice(rest.indexOf(END));
    expect(after, `README.md has the marks ${BEGIN} and ${END}`).toBeDefined();
    const made = { readme: `${before}${BEGIN}\n\n${table(all)}\n\n${after}`, page: page(all) };
    if (isWriting) {
      writeFileSync(README, made.readme);
      writeFileSync(CLIENTS_PAGE, made.page);
    }
    expect(readFileSync(README, 'utf8'), 'run npm run docs').toBe(made.readme);
    expect(readFileSync(CLIENTS_PAGE, 'utf8'), 'run npm run docs').toBe(made.page);
  });
});

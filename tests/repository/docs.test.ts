import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { transform } from 'esbuild';
import { type ParseError, parse as parseJsonc } from 'jsonc-parser';
import { parse as parseToml } from 'smol-toml';
import { describe, expect, it } from 'vitest';
import { parseDocument as parseYaml } from 'yaml';
import { ErrorCode } from '../../src/base/index.js';
import { EXIT } from '../../src/cli/runtime/command.js';
import { State } from '../../src/model/index.js';
import { anchorOf, type Block, type Document, parseDocument, readDocuments, typedLines } from '../support/documents.js';
import { needs } from '../support/programs.js';
import { exampleMachine, verdictOn } from '../support/typed-in-documents.js';

const root = join(dirname(fileURLToPath(import.meta.url)), '../..');
const documents = readDocuments(root);
const blocks = documents.flatMap((document) => document.blocks);
const SHELLS: readonly string[] = ['sh', 'bash', 'console'];
/** Output and diagrams, which no program reads. */
const OUTPUT: readonly string[] = ['text', 'mermaid'];

/** For each data format, the errors in a text of it. */
const DATA: Readonly<Record<string, (text: string) => string[]>> = {
  json: (text) => jsonFaults(text, false),
  jsonc: (text) => jsonFaults(text, true),
  toml: (text) => thrownBy(() => parseToml(text)),
  yaml: (text) => parseYaml(text).errors.map(({ message }) => message),
};

function jsonFaults(text: string, mayComment: boolean): string[] {
  const errors: ParseError[] = [];
  parseJsonc(text, errors, { disallowComments: !mayComment, allowTrailingComma: false });
  return errors.map(({ offset }) => `invalid JSON at ${JSON.stringify(text.slice(offset, offset + 20))}`);
}

function thrownBy(act: () => unknown): string[] {
  try {
    act();
    return [];
  } catch (error) {
    return [String(error)];
  }
}

function of(...languages: readonly string[]): Block[] {
  return blocks.filter(({ language }) => languages.includes(language));
}

function place({ document, line }: Block): string {
  return `${document}:${line}`;
}

describe('every block of the documents', () => {
  it('has a known language, which decides whether it is run, parsed or ignored', () => {
    const known = [...SHELLS, ...OUTPUT, ...Object.keys(DATA), 'ts', 'python'];
    const unknown = blocks.filter(({ language }) => !known.includes(language));
    expect(unknown.map((block) => `${place(block)} is ${JSON.stringify(block.language)}`)).toEqual([]);
    const withoutCommand = of(...SHELLS).filter((block) => typedLines(block).length === 0);
    expect(withoutCommand.map((block) => `${place(block)} has no command; mark output as text`)).toEqual([]);
    expect(of('json').length * of('ts').length * of(...SHELLS).length).toBeGreaterThan(0);
  });

  it.each(Object.entries(DATA))('is valid %s if it is marked as such', (language, faultsIn) => {
    const wrong = of(language).flatMap((block) => faultsIn(block.text).map((what) => `${place(block)}: ${what}`));
    expect(wrong).toEqual([]);
    expect(faultsIn('{"a": 1, // one\n')).not.toEqual([]);
  });

  it('is valid TypeScript if it is marked as such, and imports only exports of the package', async () => {
    const wrong = of('ts').map(async (block) => (await typeFaults(block)).map((what) => `${place(block)}: ${what}`));
    expect((await Promise.all(wrong)).flat()).toEqual([]);
    const invalid = "import { discoverEverything } from 'portolan';\nawait using = 3;";
    expect(await typeFaults({ document: '', line: 1, language: 'ts', text: invalid })).toHaveLength(2);
  });

  it('is valid Python if it is marked as such', needs('python3'), () => {
    const check = [
      'import ast, json, sys',
      'for block in json.load(sys.stdin): compile(block, "block", "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)',
    ].join('\n');
    const input = JSON.stringify(of('python').map(({ text }) => text));
    const { status, stderr } = spawnSync('python3', ['-c', check], { input, encoding: 'utf8' });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  });
});

const EXPORTED = new Set(readFileSync(join(root, 'src/index.ts'), 'utf8').match(/\w+/g));

async function typeFaults({ text }: Block): Promise<string[]> {
  const imported = [...text.matchAll(/import (?:type )?\{([^}]*)\} from 'portolan'/g)].flatMap(([, list = '']) =>
    list.split(','),
  );
  const missing = imported
    .map((name) => name.replace(/^\s*type /, '').trim())
    .filter((name) => name !== '' && !EXPORTED.has(name));
  const [fault] = await transform(text, { loader: 'ts', logLevel: 'silent' }).then(
    () => [],
    (error: Error) => [error.message],
  );
  return [...missing.map((name) => `the package has no ${name}`), ...(fault === undefined ? [] : [fault])];
}

// Each document has its own machine. Vitest runs at most `maxConcurrency` (5) of these tests at a time.
describe.concurrent('every command line of the documents', () => {
  const shells = documents.map(({ path, blocks: all, indented }) => ({
    path,
    typed: [...all.filter(({ language }) => SHELLS.includes(language)).flatMap(typedLines), ...indented],
  }));

  it.each(shells.filter(({ typed }) => typed.length > 0))('in $path exits as documented', async ({ typed }) => {
    using machine = exampleMachine();
    const faults: string[] = [];
    let checked = 0;
    for (const line of typed) {
      const verdict = await verdictOn(line, machine);
      checked += verdict.ran + verdict.parsed + verdict.known;
      faults.push(...verdict.faults.map((fault) => `${line.text}: ${fault}`));
    }
    expect(faults).toEqual([]);
    expect(checked).toBeGreaterThanOrEqual(typed.length);
  });

  it.each([
    { text: 'portolan list --no-such-flag', because: 'exit code 2 instead of 0' },
    { text: 'portolan call weather no_such_tool', because: 'exit code 1 instead of 0' },
    { text: 'portolan serve --no-such-flag', because: 'portolan serve has no flag --no-such-flag' },
    { text: 'portolan why <server> --no-such-flag', because: 'portolan why has no flag --no-such-flag' },
    { text: 'npm run no-such-script', because: 'unknown command line npm run no-such-script' },
    { text: 'rm -rf /', because: 'unknown command line rm -rf /' },
    { text: 'eval "$(portolan completion nosuchshell)"', because: 'exit code 2 instead of 0' },
  ])('is reported if it is wrong: $text', async ({ text, because }) => {
    using machine = exampleMachine();
    const { faults } = await verdictOn({ document: 'x.md', text, exits: 0 }, machine);
    expect(faults).toEqual([expect.stringContaining(because)]);
  });

  it('is found in the documents with commands', () => {
    const paths = shells.filter(({ typed }) => typed.length > 0).map(({ path }) => path);
    expect(paths).toEqual(
      expect.arrayContaining(['README.md', 'docs/guides/daily-use.md', 'docs/guides/troubleshooting.md']),
    );
  });

  it('is distinguished from output and comments', () => {
    const text = '$ portolan list --json \\\n  --all\nNAME\n# nothing\n$ portolan doctor  # exits 1, with an error';
    const [block] = parseDocument('x.md', `\`\`\`console\n${text}\n\`\`\`\n`).blocks;
    expect(block && typedLines(block)).toEqual([
      { document: 'x.md', text: 'portolan list --json --all', exits: 0 },
      { document: 'x.md', text: 'portolan doctor', exits: 1 },
    ]);
  });
});

describe('the troubleshooting page', () => {
  const page = documents.find(({ path }) => path === 'docs/guides/troubleshooting.md');

  it.each([
    { title: 'Errors', codes: Object.values(ErrorCode) },
    { title: 'Problems with files', codes: problemCodes() },
    { title: 'States of servers', codes: State.options },
  ])('has one paragraph for each code and no other under $title', ({ title, codes }) => {
    expect(under(title, page)).toEqual([...codes].sort());
    expect(codes.length).toBeGreaterThan(0);
  });

  it('describes every exit code', () => {
    const rows = [...readFileSync(join(root, 'docs/guides/troubleshooting.md'), 'utf8').matchAll(/^\| (\d+) \|/gm)];
    expect(rows.map(([, code]) => Number(code))).toEqual(Object.values(EXIT));
  });
});

/** The codes that are headings in a section. */
function under(title: string, page: Document | undefined): string[] {
  const headings = page?.headings ?? [];
  const begin = headings.findIndex(({ depth, text }) => depth === 2 && text === title);
  const rest = headings.slice(begin + 1);
  const end = rest.findIndex(({ depth }) => depth <= 2);
  return rest
    .slice(0, end < 0 ? undefined : end)
    .map(({ text }) => text.replaceAll('`', ''))
    .sort();
}

/** Every problem code: they are string literals in the source. */
function problemCodes(): string[] {
  const files = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' });
  const texts = files
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .map((name) => readFileSync(join(root, 'src', name), 'utf8'));
  return [
    ...new Set(
      texts.flatMap((text) => [...text.matchAll(/\bcode: '([a-z]+(?:-[a-z]+)+)'/g)].map(([, code = '']) => code)),
    ),
  ];
}

/** Names that documents use for files of the reader. */
const READERS: readonly string[] = ['portolan.config.ts', 'anygpt.config.ts', 'examples.py'];
/** A source file of this repository, by its path or the end of its path; `*` matches any name. */
const FILE = /^(?:[\w-]+\/)*[\w*.-]+\.(?:ts|mjs|py)$/;
const REPOSITORY_FILES = ['src', 'tests', 'scripts', 'bench', 'examples', 'conformance'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map(
    (name) => `/${folder}/${name.replaceAll('\\', '/')}`,
  ),
);

function existsInRepository(word: string): boolean {
  const end = new RegExp(`/${word.replaceAll('.', '\\.').replaceAll('*', '[^/]*')}$`);
  return REPOSITORY_FILES.some((name) => end.test(name));
}

describe('the pages', () => {
  it('have no broken link', () => {
    const anchors = new Map(documents.map(({ path, headings }) => [path, new Set(headings.map(anchorOf))]));
    const broken = documents.flatMap(({ path, links }) =>
      links
        .filter((link) => !/^[a-z]+:/.test(link))
        .filter((link) => {
          const [file = '', anchor] = link.split('#');
          const target = file === '' ? path : join(dirname(path), file).replaceAll('\\', '/');
          const known = anchors.get(target);
          return !existsSync(join(root, target)) || (anchor !== undefined && known !== undefined && !known.has(anchor));
        })
        .map((link) => `${path} links to ${link}`),
    );
    expect(broken).toEqual([]);
  });

  it('name only files that exist', () => {
    const missingFiles = documents
      .filter(({ path }) => !path.startsWith('docs/decisions/'))
      .flatMap(({ path, code }) =>
        code
          .filter((word) => FILE.test(word) && !READERS.includes(word) && !existsInRepository(word))
          .map((word) => `${path} names ${word}`),
      );
    expect(missingFiles).toEqual([]);
    expect(existsInRepository('src/policy/no-such-file.ts')).toBe(false);
  });

  it('contain no path of the machine where they were generated', () => {
    const leaking = documents.filter(({ path }) => readFileSync(join(root, path), 'utf8').includes(root));
    expect(leaking.map(({ path }) => path)).toEqual([]);
  });

  it('have an API reference that matches the types', () => {
    const script = join(root, 'scripts/api-reference.mjs');
    const { status, stderr } = spawnSync(process.execPath, [script, '--check'], { encoding: 'utf8' });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  });
});

// Writes docs/api.md out of the declarations in dist/types: what a program can import, with the sentences that stand beside it
// in the source. Nothing in that page is written by hand; `--check` says whether it is out of date.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { shapeOf, squeezed } from './zod-shape.mjs';

const ENTRIES = [
  { module: 'portolan', file: 'index.d.ts', about: 'What a program imports.' },
  {
    module: 'portolan/schemas',
    file: 'schemas.d.ts',
    about: 'The same shapes as zod schemas, to check what comes from elsewhere: `Chart.parse(JSON.parse(text))`.',
  },
];
const KINDS = ['function', 'class', 'const', 'interface', 'type'];
const TITLES = { function: 'Functions', class: 'Classes', const: 'Values', interface: 'Shapes', type: 'Shapes' };

/** The page, as it should be for these declarations. */
function apiReference(folder) {
  const read = reader(folder);
  const named = exportsOf(join(folder, ENTRIES[0].file), read);
  const used = alsoUsed(named, read);
  const schemas = exportsOf(join(folder, ENTRIES[1].file), read);
  return [
    '# API reference',
    '',
    '<!-- Written by scripts/api-reference.mjs out of the types. Do not edit: change the source and run it again. -->',
    '',
    'Made from the types of the package; the sentences are those of the source.',
    '',
    `## \`${ENTRIES[0].module}\``,
    '',
    ENTRIES[0].about,
    '',
    ...grouped(named, read),
    '### What these are made of',
    '',
    'Not exported by name; they are the types of what the above takes and gives.',
    '',
    ...used.flatMap((one) => rendered(one, read)),
    `## \`${ENTRIES[1].module}\``,
    '',
    ENTRIES[1].about,
    '',
    schemas
      .filter(({ kind }) => kind === 'const')
      .map(({ name }) => `\`${name}\``)
      .toSorted()
      .join(', '),
    '',
  ].join('\n');
}

/** The statements of a file, read once; and the schemas that have a name to be told by. */
function reader(folder) {
  const known = new Map();
  const read = (path) => {
    if (!path.startsWith(folder) || !existsSync(path)) return [];
    if (!known.has(path))
      known.set(
        path,
        statements(readFileSync(path, 'utf8')).map((one) => ({ ...one, path })),
      );
    return known.get(path);
  };
  const schemas = exportsOf(join(folder, ENTRIES[1].file), read).filter(({ kind }) => kind === 'const');
  const names = new Map(schemas.map((one) => [squeezed(schemaIn(one) ?? ''), one.name]));
  return Object.assign(read, { nameOf: (schema) => names.get(squeezed(schema)) });
}

/** What a file lends, followed to where it is declared. One name may be a value and a type. */
function exportsOf(path, read) {
  return read(path).flatMap((statement) => {
    const lent = /^export (?:type )?\{([\s\S]*)\} from ['"](.+)['"];$/.exec(statement.text);
    if (!lent) return statement.isExported ? [statement] : [];
    const from = beside(path, lent[2]);
    return names(lent[1]).flatMap((name) => lentBy(from, name, read));
  });
}

/** A name that leads nowhere would be missing from the page without anybody noticing. */
function lentBy(path, name, read) {
  const found = exportsOf(path, read).filter((one) => one.name === name);
  if (found.length === 0)
    throw new Error(`${path} lends no ${name}; if it goes by another name there, teach this script`);
  return found;
}

function names(list) {
  return list
    .split(',')
    .map((word) => word.replace(/^\s*type\s/, '').trim())
    .filter((word) => word !== '');
}

function beside(path, written) {
  return resolve(dirname(path), written.replace(/\.js$/, '.d.ts'));
}

/** What the exported ones mention and nobody exports, and what these mention, and so on. */
function alsoUsed(exported, read) {
  const seen = new Map(exported.map((one) => [one.name, one]));
  const found = [];
  const waiting = [...exported];
  for (let one = waiting.shift(); one !== undefined; one = waiting.shift()) {
    for (const next of mentionedBy(one, read)) {
      if (seen.has(next.name) || next.kind === 'const') continue;
      seen.set(next.name, next);
      found.push(next);
      waiting.push(next);
    }
  }
  return byName(found);
}

function mentionedBy({ text, path }, read) {
  const words = new Set(withoutComments(text).match(/[A-Z]\w+/g));
  const here = read(path).filter(({ name }) => words.has(name));
  const imported = read(path).flatMap(({ text: line }) => {
    const from = /^import (?:type )?\{([\s\S]*)\} from ['"](\..+)['"];$/.exec(line);
    if (!from) return [];
    const wanted = names(from[1]).filter((name) => words.has(name));
    return wanted.flatMap((name) => lentBy(beside(path, from[2]), name, read));
  });
  return [...here, ...imported];
}

function grouped(all, read) {
  // A schema and the type made from it are one thing to whoever imports the type.
  const isTold = ({ kind, name }) => kind !== 'const' || !all.some((one) => one.name === name && one.kind === 'type');
  return [...new Set(KINDS.map((kind) => TITLES[kind]))].flatMap((title) => {
    const those = byName(all.filter((one) => TITLES[one.kind] === title && isTold(one)));
    return those.length === 0 ? [] : [`### ${title}`, '', ...those.flatMap((one) => rendered(one, read))];
  });
}

function byName(statements) {
  return statements.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

function rendered(statement, read) {
  const { name, text } = statement;
  const doc = statement.doc ?? twin(statement, read)?.doc;
  return [
    `#### \`${name}\``,
    '',
    ...(doc ? [doc, ''] : []),
    '```ts',
    declared(statement, read) ?? tidy(text),
    '```',
    '',
  ];
}

/** The schema beside a type, or the value beside it. */
function twin({ name, kind, path }, read) {
  return read(path).find((one) => one.name === name && one.kind !== kind);
}

/** A type that stands beside a value: what a schema gives, written out, or both. */
function declared(statement, read) {
  const other = statement.kind === 'type' ? twin(statement, read) : undefined;
  if (!other) return undefined;
  const schema = schemaIn(other);
  if (!schema) return tidy(`${other.text}\n${statement.text}`);
  return `type ${statement.name} = ${shapeOf(schema, read.nameOf)};`;
}

function schemaIn({ text }) {
  return /^export declare const \w+: (z\.[\s\S]+);$/.exec(text)?.[1];
}

function tidy(text) {
  return text
    .replaceAll(/^export (declare (?!const))?/gm, '')
    .replaceAll(/import\("[^"]+"\)\./g, '')
    .replaceAll(/^ {4}#private;\n/gm, '')
    .replaceAll('    ', '  ');
}

function withoutComments(text) {
  return text.replaceAll(/\/\*[\s\S]*?\*\//g, '');
}

/** The top-level statements of a declaration file, each with the sentence before it. */
function statements(text) {
  const found = [];
  let doc;
  for (let at = 0; at < text.length; ) {
    if (/\s/.test(text[at])) at += 1;
    else if (text.startsWith('/*', at)) {
      const end = text.indexOf('*/', at) + 2;
      doc = sentence(text.slice(at, end));
      at = end;
    } else if (text.startsWith('//', at)) at = lineEnd(text, at);
    else {
      const end = statementEnd(text, at);
      found.push({ ...headOf(text.slice(at, end)), doc, text: text.slice(at, end) });
      doc = undefined;
      at = end;
    }
  }
  return found;
}

function headOf(text) {
  const head = /^(export )?(?:declare )?(?:abstract )?(function|class|const|interface|type) (\w+)/.exec(text);
  return head ? { isExported: head[1] !== undefined, kind: head[2], name: head[3] } : {};
}

function sentence(comment) {
  if (!comment.startsWith('/**')) return undefined;
  return comment
    .slice(3, -2)
    .split('\n')
    .map((line) => line.replace(/^\s*\*? ?/, '').trim())
    .join(' ')
    .trim();
}

function lineEnd(text, at) {
  const end = text.indexOf('\n', at);
  return end < 0 ? text.length : end + 1;
}

/** Behind the `;` or, of a class or an interface, the brace that ends the statement which begins here. */
function statementEnd(text, start) {
  const isBlock = /^(export )?(declare )?(abstract )?(class|interface) /.test(text.slice(start, start + 40));
  let depth = 0;
  for (let at = start; at < text.length; at += 1) {
    const char = text[at];
    if (text.startsWith('/*', at)) at = text.indexOf('*/', at) + 1;
    else if (text.startsWith('//', at)) at = lineEnd(text, at) - 1;
    else if (`'"\``.includes(char)) at = text.indexOf(char, at + 1);
    else if ('({['.includes(char)) depth += 1;
    else if (')}]'.includes(char)) {
      depth -= 1;
      if (depth === 0 && isBlock && char === '}') return at + 1;
    } else if (char === ';' && depth === 0) return at + 1;
  }
  return text.length;
}

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const page = join(root, 'docs/api.md');
const wanted = apiReference(join(root, 'dist/types'));
if (!process.argv.includes('--check')) {
  writeFileSync(page, wanted);
  console.log(`wrote ${page}`);
} else if (!existsSync(page) || readFileSync(page, 'utf8') !== wanted) {
  console.error('docs/api.md is not what the types say: run npm run docs');
  process.exitCode = 1;
}

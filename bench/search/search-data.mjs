// The labelled sets: three public ones, and the needs of needs.json over the recorded catalogs, in two halves by hash.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = join(dirname(fileURLToPath(import.meta.url)), '../..');
const data = join(root, '../shared/data');
export const isAvailable = existsSync(data);
export const PUBLIC_SETS = ['toolbench-g1', 'metatool-dev', 'bfcl-dev'];

const readJson = (...path) => JSON.parse(readFileSync(join(...path), 'utf8'));
export const keyOf = (server, tool) => `${server}\n${tool}`;
export const hash = (text) =>
  [...text].reduce((sum, char) => Math.imul(sum ^ char.charCodeAt(0), 0x01000193), 0x811c9dc5) >>> 0;

/** `{ name, tools, queries: [{ q, gold: [key] }] }`; a key names a server and its tool. */
export function publicSets() {
  return PUBLIC_SETS.map((name) => {
    const { tools, queries } = readJson(data, 'retrieval', `${name}.json`);
    return {
      name,
      tools,
      queries: queries.map(({ q, gold }) => ({ q, gold: gold.map(({ server, tool }) => keyOf(server, tool)) })),
    };
  });
}

/** The tools of the recorded catalogs; a server is named by its file, which is unique. */
export function catalogTools() {
  return readdirSync(join(data, 'catalogs')).flatMap((file) => {
    const server = file.replace(/\.json$/, '');
    const { tools, instructions } = readJson(data, 'catalogs', file);
    return tools.map(({ name, description, inputSchema }) => ({
      ...{ server, name, description, inputSchema },
      ...(instructions !== undefined && { serverDescription: instructions }),
    }));
  });
}

/** The needs in two halves: nothing is chosen on the second. A need without a tool is in `uncovered`. */
export function needSets() {
  const { needs } = readJson(root, 'bench/search/needs.json');
  const tools = catalogTools();
  const labels = ({ tools: gold }) =>
    gold.map((label) => keyOf(label.slice(0, label.indexOf('/')), label.slice(label.indexOf('/') + 1)));
  return ['needs, tunable half', 'needs, held-out half'].map((name, half) => {
    const own = needs.filter(({ id }) => hash(id) % 2 === half);
    return {
      ...{ name, tools },
      queries: own.filter(({ tools: gold }) => gold.length > 0).map((need) => ({ q: need.query, gold: labels(need) })),
      uncovered: own.filter(({ tools: gold }) => gold.length === 0).map(({ query }) => query),
    };
  });
}

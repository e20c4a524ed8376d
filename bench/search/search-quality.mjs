// How well tools are found: every engine by cross-validation, what each ingredient adds, needs without a tool, typos, names.
import { catalogTools, hash, needSets, publicSets } from './search-data.mjs';
import { ENGINES, portolan } from './search-engines.mjs';

const MAX_BEHIND = 0.015;

/** Mean measures over the queries of a set. */
export function score(find, queries) {
  const sums = { recall5: 0, first: 0, recall10: 0, complete10: 0, ndcg10: 0, hit5: 0 };
  for (const { q, gold } of queries) {
    const found = find(q);
    const isGold = found.map((key) => gold.includes(key));
    const hits = (depth) => isGold.slice(0, depth).filter(Boolean).length;
    const gain = (places) => places.reduce((sum, place) => sum + 1 / Math.log2(place + 2), 0);
    sums.recall5 += hits(5) / gold.length;
    sums.recall10 += hits(10) / gold.length;
    sums.first += hits(1);
    sums.hit5 += hits(5) > 0 ? 1 : 0;
    sums.complete10 += hits(10) === gold.length ? 1 : 0;
    const places = isGold.flatMap((yes, place) => (yes ? [place] : []));
    sums.ndcg10 += gain(places) / gain([...Array(Math.min(10, gold.length)).keys()]);
  }
  return Object.fromEntries(Object.entries(sums).map(([name, sum]) => [name, sum / queries.length]));
}

const points = (value) => (100 * value).toFixed(1).padStart(6);
const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
const column = (name) => name.replace('needs, ', '').padStart(21);

/** The settings of an engine are chosen on the other public sets, those for the needs on all public sets and the tunable half. */
export function compareEngines(search, target) {
  const sets = [...publicSets(), ...needSets()];
  const reported = sets.filter(({ name }) => name !== 'needs, tunable half');
  console.log('Engines by cross-validation: recall@5, hit@1, recall@10');
  console.log(`${''.padEnd(14)}${reported.map(({ name }) => column(name)).join(' ')} | mean recall@5, hit@1`);
  const rows = ENGINES.map((engine) => {
    const all = sets.map(({ tools, queries }) =>
      engine.settings.map((settings) => score(engine.open(search, tools, settings), queries)),
    );
    const row = reported.map(({ name }) => {
      const at = sets.findIndex((set) => set.name === name);
      const others = name.startsWith('needs') ? [0, 1, 2, 3] : [0, 1, 2].filter((one) => one !== at);
      const worth = (n) => mean(others.map((other) => all[other][n].recall5 + all[other][n].first / 4));
      const best = engine.settings.map((_, n) => n).reduce((a, b) => (worth(b) > worth(a) ? b : a));
      return all[at][best];
    });
    const cells = row.map(({ recall5, first, recall10 }) =>
      [recall5, first, recall10].map(points).join(' ').padStart(21),
    );
    const means = ['recall5', 'first'].map((measure) => mean(row.map((one) => one[measure])));
    console.log(`${engine.name.padEnd(14)}${cells.join(' ')} | ${means.map(points).join(' ')}`);
    return { row, means };
  });
  const [ours, ...others] = rows;
  const margin = ours.means[0] - Math.max(...others.map(({ means }) => means[0]));
  target('mean recall@5 over the best other engine', margin, '> 0', margin > 0);
  const behind = Math.max(
    ...reported.map((_, at) => Math.max(...others.map(({ row }) => row[at].recall5)) - ours.row[at].recall5),
  );
  target('largest distance behind another engine on a set', behind, String(MAX_BEHIND), behind <= MAX_BEHIND);
}

const INGREDIENTS = [
  ['synonyms', { synonym: 0, nameSynonym: 0 }],
  ['clauses', { clause: 0 }],
  ['name coverage', { nameCover: 0 }],
  ['less weight for request words', { request: 1 }],
  ['presence', { presence: 0 }],
  ['corrected typos', { typo: 0, typoShort: 0 }],
  ...['server', 'rest', 'parameters', 'parameterTexts'].map((field) => [`field ${field}`, { field }]),
  ['allowed values of parameters', { withoutValues: true }],
];

/** The loss of recall@5 on each set if one ingredient is left out. */
export function ablate(search, target) {
  const sets = [...publicSets(), ...needSets()];
  const full = sets.map(({ tools, queries }) => score(portolan.open(search, tools), queries));
  console.log('\nPortolan with its settings: recall@5, hit@1, recall@10, complete@10, nDCG@10');
  sets.forEach(({ name }, at) => {
    const { recall5, first, recall10, complete10, ndcg10 } = full[at];
    console.log(`${name.padEnd(30)}${[recall5, first, recall10, complete10, ndcg10].map(points).join(' ')}`);
  });
  const least = { 'toolbench-g1': 0.75, 'metatool-dev': 0.75, 'bfcl-dev': 0.86 };
  for (const [at, { name }] of sets.entries())
    if (least[name]) target(`${name} recall@5`, full[at].recall5, String(least[name]), full[at].recall5 >= least[name]);
  console.log('\nGain of each ingredient, recall@5');
  console.log(`${''.padEnd(30)}${sets.map(({ name }) => column(name)).join('')}`);
  for (const [title, change] of INGREDIENTS) {
    const cells = sets.map(({ tools, queries }, at) => {
      const without = withoutIngredient(search, tools, change, (find) => score(find, queries));
      return points(full[at].recall5 - without.recall5).padStart(21);
    });
    console.log(`${title.padEnd(30)}${cells.join('')}`);
  }
}

function withoutIngredient(search, tools, { field, withoutValues, ...settings }, measure) {
  const own = field && search.WEIGHTS.fields[field];
  if (own) search.WEIGHTS.fields[field] = { ...own, weight: 0 };
  const given = withoutValues ? tools.map((tool) => ({ ...tool, inputSchema: withoutEnums(tool.inputSchema) })) : tools;
  const result = measure(portolan.open(search, given, settings));
  if (own) search.WEIGHTS.fields[field] = own;
  return result;
}

function withoutEnums(schema) {
  return JSON.parse(
    JSON.stringify(schema ?? {}, (key, value) => (key === 'enum' && Array.isArray(value) ? [] : value)),
  );
}

/** The share of the needs without a tool that have an empty answer, and of the other needs that do. */
export function uncoveredNeeds(search) {
  console.log('\nEmpty answers, in %');
  for (const { name, tools, queries, uncovered } of needSets()) {
    const find = portolan.open(search, tools);
    const empty = (asked) => points(asked.filter((query) => find(query).length === 0).length / asked.length);
    console.log(
      `${name.padEnd(30)} without a tool ${empty(uncovered)}   with a tool ${empty(queries.map(({ q }) => q))}`,
    );
  }
  for (const { name, tools, queries } of publicSets()) {
    const find = portolan.open(search, tools);
    const share = queries.filter(({ q }) => find(q).length === 0).length / queries.length;
    console.log(`${name.padEnd(30)} ${''.padEnd(24)} with a tool ${points(share)}`);
  }
}

/** One letter of the longest word dropped, swapped, added or changed; never the first. */
function withTypo(text) {
  const [word] = [...text.matchAll(/[A-Za-z]{4,}/g)].sort((a, b) => b[0].length - a[0].length);
  if (!word) return text;
  const seed = hash(text);
  const at = word.index + 1 + ((seed >>> 8) % (word[0].length - 2));
  const letter = String.fromCharCode(97 + ((seed >>> 20) % 26));
  const [before, after] = [text.slice(0, at), text.slice(at)];
  return [
    `${before}${after.slice(1)}`,
    `${before}${after[1]}${after[0]}${after.slice(2)}`,
    `${before}${letter}${after}`,
    `${before}${letter}${after.slice(1)}`,
  ][(seed >>> 16) % 4];
}

export function typos(search, target) {
  for (const { name, tools, queries } of publicSets()) {
    const find = portolan.open(search, tools);
    const mistyped = queries.map((query) => ({ ...query, q: withTypo(query.q) }));
    const loss = score(find, queries).recall5 - score(find, mistyped).recall5;
    target(`${name}, one typo: loss of recall@5`, loss, '0.02', loss < 0.02);
  }
}

const letters = (text) =>
  text
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '');

/** The share of tools that are first when they are asked for by their name, alone and with their server. */
export function exactNames(search, target) {
  for (const { name: set, tools } of [...publicSets(), { name: 'catalogs', tools: catalogTools() }]) {
    const index = search.createToolIndex(tools);
    const first = (query) => index.search(query, { limit: 1 })[0] ?? { server: '', tool: '' };
    const ways = tools.flatMap(({ server, name }) => {
      if (letters(name) === '' || server.length + name.length > 110) return [];
      const [alone, full] = [first(name), first(`${server}__${name}`)];
      return [
        [alone.tool, alone.server + alone.tool].some((found) => letters(found) === letters(name)),
        full.server === server && letters(full.server + full.tool).includes(letters(name)),
      ];
    });
    const share = mean(ways.map(Number));
    target(`${set}, exact name first`, share, '1', share === 1);
  }
}

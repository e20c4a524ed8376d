// The engines that are compared. Each has the same words (tokenizer, stems, stop words, fields) and gets a list of settings
// to choose from; `open(search, tools, settings)` returns a function from a query to the keys of the ten best tools.
import { keyOf } from './search-data.mjs';

const FIELDS = ['name', 'server', 'lead', 'rest', 'parameters', 'parameterTexts', 'serverText'];
const LIMIT = 10;

/** Weights of the fields: those of Portolan, all equal, and two between. */
const FIELD_WEIGHTS = [
  { name: 1.5, server: 1.5, lead: 1, rest: 0.25, parameters: 1.2, parameterTexts: 0.6, serverText: 0.3 },
  { name: 1, server: 1, lead: 1, rest: 1, parameters: 1, parameterTexts: 1, serverText: 1 },
  { name: 3, server: 1.5, lead: 1, rest: 0.5, parameters: 0.5, parameterTexts: 0.3, serverText: 0.3 },
  { name: 2, server: 1, lead: 1.5, rest: 0.5, parameters: 0.5, parameterTexts: 0.5, serverText: 0.1 },
];
const pairs = (one, other) => one.flatMap((a) => other.map((b) => ({ ...a, ...b })));
const WEIGHTS = FIELD_WEIGHTS.map((weights) => ({ weights }));

export const portolan = {
  name: 'Portolan',
  settings: pairs(
    pairs([{ clause: 0.9 }, { clause: 0.6 }], [{ request: 0.5 }, { request: 0.7 }]),
    pairs([{ nameCover: 0.33 }, { nameCover: 0.2 }], [{ synonym: 0.5 }, { synonym: 0.35 }]),
  ),
  open({ createToolIndex, WEIGHTS: used }, tools, settings = {}) {
    const index = createToolIndex(tools);
    const defaults = Object.fromEntries(Object.keys(settings).map((name) => [name, used[name]]));
    return (query) => {
      Object.assign(used, settings);
      const found = index.search(query, { limit: LIMIT });
      Object.assign(used, defaults);
      return found.map(({ server, tool }) => keyOf(server, tool));
    };
  },
};

/** BM25F (Robertson and Zaragoza) with one b for all fields. */
export const bm25f = {
  name: 'BM25F',
  settings: pairs(WEIGHTS, [{ b: 0.3 }, { b: 0.6 }]),
  open(search, tools, { weights, b } = this.settings[0]) {
    const documents = tools.map((tool) => fieldsOf(search, tool));
    const average = Object.fromEntries(
      FIELDS.map((field) => [field, documents.reduce((sum, own) => sum + own[field].length, 0) / tools.length || 1]),
    );
    const postings = new Map();
    documents.forEach((own, at) => {
      const amounts = new Map();
      for (const field of FIELDS) {
        const each = weights[field] / (1 - b + (b * own[field].length) / average[field]);
        for (const word of own[field]) amounts.set(word, (amounts.get(word) ?? 0) + each);
      }
      for (const [word, x] of amounts) {
        const list = postings.get(word) ?? [];
        list.push([at, (2.2 * x) / (x + 1.2)]);
        postings.set(word, list);
      }
    });
    return (query) => {
      const scores = new Map();
      for (const word of new Set(wordsOf(search, query))) {
        const list = postings.get(word) ?? [];
        const idf = Math.log(1 + (tools.length - list.length + 0.5) / (list.length + 0.5));
        for (const [at, impact] of list) scores.set(at, (scores.get(at) ?? 0) + idf * impact);
      }
      const best = [...scores].sort(([at, one], [otherAt, other]) => other - one || at - otherAt).slice(0, LIMIT);
      return best.map(([at]) => keyOf(tools[at].server, tools[at].name));
    };
  },
};

export const miniSearch = {
  name: 'MiniSearch',
  settings: pairs(WEIGHTS, [{ b: 0.3 }, { b: 0.7 }]),
  open(search, tools, { weights, b } = this.settings[0]) {
    const index = new search.MiniSearch({
      fields: FIELDS,
      tokenize: (text) => text.split(' ').filter(Boolean),
      processTerm: (word) => word,
      searchOptions: { boost: weights, bm25: { k: 1.2, b, d: 0.25 } },
    });
    index.addAll(tools.map((tool, id) => ({ id, ...joined(fieldsOf(search, tool)) })));
    return (query) =>
      index
        .search([...new Set(wordsOf(search, query))].join(' '))
        .slice(0, LIMIT)
        .map(({ id }) => keyOf(tools[id].server, tools[id].name));
  },
};

export const fts5 = {
  name: 'SQLite FTS5',
  settings: WEIGHTS,
  open(search, tools, { weights } = this.settings[0]) {
    const database = new search.Database(':memory:');
    database.exec(`create virtual table tool using fts5(${FIELDS.join(', ')}, tokenize = 'unicode61')`);
    database.exec('begin');
    const insert = database.prepare(`insert into tool(rowid, ${FIELDS}) values (?, ${FIELDS.map(() => '?')})`);
    tools.forEach((tool, id) => {
      const own = joined(fieldsOf(search, tool));
      insert.run([id + 1, ...FIELDS.map((field) => own[field])]);
    });
    insert.finalize();
    database.exec('commit');
    const rank = `bm25(tool, ${FIELDS.map((field) => weights[field]).join(', ')})`;
    const select = database.prepare(`select rowid as id from tool where tool match ? order by ${rank} limit ${LIMIT}`);
    return (query) => {
      const words = [...new Set(wordsOf(search, query))].map((word) => `"${word.replaceAll('"', '""')}"`);
      if (words.length === 0) return [];
      return select.all([words.join(' OR ')]).map(({ id }) => keyOf(tools[id - 1].server, tools[id - 1].name));
    };
  },
};

export const ENGINES = [portolan, bm25f, miniSearch, fts5];

function wordsOf({ eachWord, stem, STOP_WORDS }, text) {
  const words = [];
  eachWord(text, (word) => {
    if (!STOP_WORDS.has(word)) words.push(stem(word));
  });
  return words;
}

function fieldsOf({ eachFieldWord, stem, STOP_WORDS }, tool) {
  const own = Object.fromEntries(FIELDS.map((field) => [field, []]));
  eachFieldWord(tool, (field, word) => {
    if (own[field] && !STOP_WORDS.has(word)) own[field].push(stem(word));
  });
  return own;
}

const joined = (fields) => Object.fromEntries(FIELDS.map((field) => [field, fields[field].join(' ')]));

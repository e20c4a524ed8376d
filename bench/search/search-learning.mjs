// What is gained by remembered calls: recall on MetaTool before any call, and after up to eight calls of each tool.
import { keyOf, publicSets } from './search-data.mjs';
import { score } from './search-quality.mjs';

const USES = 8;
const TARGET = 0.9;
const DAY = 24 * 60 * 60 * 1000;
const points = (value) => (100 * value).toFixed(1).padStart(6);

/**
 * Each query is asked of an index that remembers the queries of the other folds only. Then only every other tool is
 * called, and the queries for the rest are asked: what the called tools gain must not cost the others much.
 */
export function measureLearning({ createToolIndex }, target) {
  const { tools, queries } = publicSets().find(({ name }) => name === 'metatool-dev');
  const turns = new Map();
  const folds = queries.map(({ gold: [key] }) => {
    turns.set(key, (turns.get(key) ?? -1) + 1);
    return turns.get(key) % USES;
  });
  const keys = [...new Set(queries.flatMap(({ gold }) => gold))];
  const isOdd = (key) => keys.indexOf(key) % 2 === 1;
  /** The mean score of the asked queries, with the calls that count. */
  const measure = (isCalled, isAsked) => {
    const parts = [...Array(USES).keys()].map((fold) => {
      const asked = queries.filter(({ gold }, n) => folds[n] === fold && isAsked(gold));
      const index = createToolIndex(tools);
      index.recall(
        queries.flatMap(({ q: query, gold }, n) => {
          const at = Date.now() - DAY * (1 + n / queries.length);
          const called = folds[n] === fold ? [] : gold.filter(isCalled);
          return called.map((key) => ({ server: key.split('\n')[0], tool: key.split('\n')[1], query, at }));
        }),
      );
      const find = (query) => index.search(query).map(({ server, tool }) => keyOf(server, tool));
      return { count: asked.length, ...score(find, asked) };
    });
    const count = parts.reduce((sum, part) => sum + part.count, 0);
    const mean = (name) => parts.reduce((sum, part) => sum + (part.count > 0 ? part[name] * part.count : 0), 0) / count;
    return { recall5: mean('recall5'), first: mean('first') };
  };
  const none = () => false;
  const all = () => true;
  const isRest = (gold) => !gold.some(isOdd);
  const rows = {
    'all tools, cold': measure(none, all),
    [`all tools, after up to ${USES} calls of each`]: measure(all, all),
    'every other tool, cold': measure(none, isRest),
    'every other tool, after calls of the others': measure(isOdd, isRest),
  };
  console.log('\nLearning from calls on metatool-dev: recall@5, hit@1');
  for (const [title, { recall5, first }] of Object.entries(rows))
    console.log(`${title.padEnd(50)}${points(recall5)} ${points(first)}`);
  const [, learned, before, after] = Object.values(rows);
  target(
    `metatool-dev recall@5 after up to ${USES} calls of each tool`,
    learned.recall5,
    TARGET,
    learned.recall5 >= TARGET,
  );
  const loss = before.recall5 - after.recall5;
  target('metatool-dev: loss of recall@5 of tools without calls', loss, '0.02', loss <= 0.02);
}

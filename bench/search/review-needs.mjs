// Prints each need of needs.json with its labels and the most similar other tools, for a person who checks the labels.
// Usage: node bench/search/review-needs.mjs [first id] [last id]
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const catalogs = join(here, '../../../shared/data/catalogs');
const OTHERS = 8;
const SUMMARY_LENGTH = 90;

/** Terms that people use for each other. A shared word is too weak a sign without them. */
const SYNONYMS = [
  'issue ticket bug problem error crash',
  'directory folder',
  'pull merge request pr mr',
  'record row entry line document item object',
  'table sheet spreadsheet collection grid index database',
  'field column property schema',
  'page website web site url address link webpage',
  'create add new make open file insert generate write put set',
  'delete remove drop cancel clean uninstall',
  'update change edit modify rename patch',
  'list show which all find search query look',
  'get read fetch retrieve details',
  'comment note remark discussion story thread',
  'calendar agenda diary event appointment meeting',
  'message post chat send push broadcast',
  'screenshot picture image photo snapshot',
  'video film clip recording screencast record',
  'task todo job work',
  'user member person people contact profile account',
  'tab window browser',
  'repository repo project',
  'chart diagram graph plot draw visualise map',
  'phone device mobile app smartphone',
  'run start execute launch trigger command',
  'log logs console output',
  'test case run build pipeline workflow',
  'docs documentation manual library guide',
  'upload attach attachment',
  'version release tag',
].map((line) => line.split(' '));

const STOP = new Set(
  'the a an of in on to for and or is are was with from by at it its this that my our me i you your we what which who how do does did can as be all when where there if not no use tool'.split(
    ' ',
  ),
);
const stem = (word) => word.replace(/(ies|es|s|ing|ed)$/, '');
const wordsOf = (text) =>
  text
    .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word.length > 1 && !STOP.has(word));

function readTools() {
  return readdirSync(catalogs).flatMap((file) => {
    const { tools } = JSON.parse(readFileSync(join(catalogs, file), 'utf8'));
    return tools.map(({ name, description = '', inputSchema }) => ({
      key: `${file.replace(/\.json$/, '')}/${name}`,
      summary: description.replaceAll(/\s+/g, ' ').trim().slice(0, SUMMARY_LENGTH),
      name: new Set(wordsOf(`${file} ${name}`).map(stem)),
      text: new Set(wordsOf(`${description} ${Object.keys(inputSchema?.properties ?? {}).join(' ')}`).map(stem)),
    }));
  });
}

function plausible(query, tools, labels) {
  const words = new Set(wordsOf(query));
  const weights = new Map();
  for (const word of words) {
    weights.set(stem(word), 1);
    for (const group of SYNONYMS.filter((group) => group.some((one) => stem(one) === stem(word))))
      for (const other of group) if (!weights.has(stem(other))) weights.set(stem(other), 0.5);
  }
  const rarity = new Map(
    [...weights.keys()].map((word) => [
      word,
      Math.log((tools.length + 1) / (1 + tools.filter(({ name, text }) => name.has(word) || text.has(word)).length)),
    ]),
  );
  return tools
    .filter(({ key }) => !labels.includes(key))
    .map((tool) => ({
      tool,
      score:
        [...weights].reduce(
          (sum, [word, weight]) =>
            sum + weight * rarity.get(word) * ((tool.name.has(word) ? 2 : 0) + (tool.text.has(word) ? 1 : 0)),
          0,
        ) / Math.log(20 + tool.text.size), // a long description contains almost every word
    }))
    .sort((a, b) => b.score - a.score)
    .slice(0, OTHERS)
    .map(({ tool }) => tool);
}

function main([first = '', last = '\uffff']) {
  if (!existsSync(catalogs)) {
    console.log(`${catalogs} does not exist. Put the recorded catalogs there to review the labels.`);
    process.exitCode = 1;
    return;
  }
  const tools = readTools();
  const byKey = new Map(tools.map((tool) => [tool.key, tool]));
  const { needs } = JSON.parse(readFileSync(join(here, 'needs.json'), 'utf8'));
  for (const { id, style, query, tools: labels } of needs) {
    if (id < first || id > last) continue;
    console.log(`\n${id} ${style}: ${query}`);
    for (const key of labels) console.log(`  + ${key}: ${byKey.get(key)?.summary ?? 'NOT IN THE CATALOGS'}`);
    for (const { key, summary } of plausible(query, tools, labels)) console.log(`  - ${key}: ${summary}`);
  }
}

main(process.argv.slice(2));

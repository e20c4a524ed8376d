import type { FieldName } from './ranking-weights.js';
import type { IndexedTool } from './search-types.js';
import { eachWord } from './tokenize.js';

/** How much of each text is read; a longer text does not describe a tool better. */
export const MAX_CHARACTERS = {
  name: 128,
  server: 64,
  description: 2_400,
  parameters: 1_000,
  parameterTexts: 3_000,
  tags: 200,
  serverText: 600,
} as const;
/** The first sentence says what a tool does; the rest says how to use it. */
const MAX_LEAD_WORDS = 40;
const MIN_SENTENCE = 12;
const MAX_PARAMETERS = 48;
const MAX_PARAMETER_TEXT = 200;
const MAX_VALUES = 60;
const MAX_VALUES_TEXT = 600;
const MAX_DEPTH = 3;
const MAX_TAGS = 16;
/** Words in the names of most servers. */
const SERVER_WORDS: ReadonlySet<string> = new Set(['mcp', 'server', 'api']);

/** Emits every word of a tool with its field. */
export function eachFieldWord(tool: IndexedTool, emit: (field: FieldName, word: string) => void): void {
  const read = (field: Exclude<FieldName, 'lead' | 'rest'>, text: string | undefined): void => {
    if (text) eachWord(text.slice(0, MAX_CHARACTERS[field]), (word) => emit(field, word));
  };
  read('name', tool.name);
  eachWord(tool.server.slice(0, MAX_CHARACTERS.server), (word) => {
    if (!SERVER_WORDS.has(word)) emit('server', word);
  });
  const description = (tool.description ?? '').slice(0, MAX_CHARACTERS.description);
  const leadEnd = endOfSentence(description);
  let words = 0;
  eachWord(description, (word, start) => {
    words += 1;
    emit(start < leadEnd && words <= MAX_LEAD_WORDS ? 'lead' : 'rest', word);
  });
  const parameters: Parameters = { names: [], texts: [] };
  collect(tool.inputSchema, MAX_DEPTH, parameters);
  read('parameters', parameters.names.join(' '));
  read('parameterTexts', parameters.texts.join(' '));
  read('serverText', tool.serverDescription);
  read('tags', tool.tags?.slice(0, MAX_TAGS).join(' '));
}

function endOfSentence(text: string): number {
  for (const { index } of text.matchAll(/[.!?](?=\s)|[。！？]|\n/g)) if (index >= MIN_SENTENCE) return index;
  return text.length;
}

interface Parameters {
  readonly names: string[];
  readonly texts: string[];
}

/** Collects the parameters of a schema. It comes from a server: any value, of any depth and width. */
function collect(schema: unknown, depth: number, found: Parameters): void {
  if (depth === 0 || typeof schema !== 'object' || schema === null) return;
  const properties = 'properties' in schema ? schema.properties : undefined;
  if (typeof properties === 'object' && properties !== null) {
    for (const name in properties) {
      if (found.names.length >= MAX_PARAMETERS) return;
      if (!Object.hasOwn(properties, name)) continue;
      found.names.push(name.slice(0, MAX_PARAMETER_TEXT));
      const value: unknown = Reflect.get(properties, name);
      if (typeof value !== 'object' || value === null) continue;
      if ('description' in value && typeof value.description === 'string')
        found.texts.push(value.description.slice(0, MAX_PARAMETER_TEXT));
      if ('enum' in value && Array.isArray(value.enum)) found.texts.push(allowedValues(value.enum));
      collect(value, depth - 1, found);
    }
  }
  if ('items' in schema) collect(schema.items, depth - 1, found);
}

/** Allowed values are words of the domain: genres of films, kinds of charts. */
function allowedValues(values: readonly unknown[]): string {
  const texts = values.slice(0, MAX_VALUES).filter((value) => typeof value === 'string');
  return texts.join(' ').slice(0, MAX_VALUES_TEXT);
}

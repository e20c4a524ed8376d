import type { FieldName } from './ranking-weights.js';
import type { IndexedTool } from './search-types.js';
import { eachWord } from './tokenize.js';

/** How much of each text is read. Whoever writes more describes no tool better by it. */
const MAX_CHARACTERS: Readonly<Record<FieldName, number>> = {
  name: 128,
  server: 64,
  description: 1_200,
  details: 0,
  parameters: 1_000,
  parameterTexts: 1_500,
  tags: 200,
  serverText: 300,
};
/** What a tool does stands at the beginning; what follows are notes on how to use it. */
const LEAD_WORDS = 32;
const MAX_PARAMETERS = 48;
const MAX_PARAMETER_TEXT = 120;
const MAX_DEPTH = 3;
const MAX_TAGS = 16;

/** Hands on every word of a tool with the field that it stands in. */
export function eachFieldWord(tool: IndexedTool, emit: (field: FieldName, word: string) => void): void {
  const read = (field: FieldName, text: string | undefined): void => {
    if (text) eachWord(text.slice(0, MAX_CHARACTERS[field]), (word) => emit(field, word));
  };
  read('name', tool.name);
  read('server', tool.server);
  let words = 0;
  eachWord((tool.description ?? '').slice(0, MAX_CHARACTERS.description), (word) => {
    words += 1;
    emit(words <= LEAD_WORDS ? 'description' : 'details', word);
  });
  read('serverText', tool.serverDescription);
  read('tags', tool.tags?.slice(0, MAX_TAGS).join(' '));
  const parameters = parametersOf(tool.inputSchema);
  read('parameters', parameters.names.join(' '));
  read('parameterTexts', parameters.texts.join(' '));
}

interface Parameters {
  readonly names: string[];
  readonly texts: string[];
}

function parametersOf(schema: unknown): Parameters {
  const found: Parameters = { names: [], texts: [] };
  collect(schema, MAX_DEPTH, found);
  return found;
}

/** A schema comes from a server: it may be anything, as deep and as wide as it likes. */
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
      collect(value, depth - 1, found);
    }
  }
  if ('items' in schema) collect(schema.items, depth - 1, found);
}

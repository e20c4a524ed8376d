import { isObject } from '../base/index.js';

const KEY = 'x-mcp-header';
const PREFIX = 'Mcp-Param-';
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const TYPES: ReadonlySet<unknown> = new Set(['string', 'integer', 'boolean']);
/** Deeper parts of a schema are ignored. */
const MAX_DEPTH = 64;

/** An argument that a header repeats, for proxies that do not read bodies. */
interface DeclaredHeader {
  readonly path: readonly string[];
  readonly header: string;
}

export interface HeaderDeclarations {
  /** The valid declarations. */
  readonly headers: readonly DeclaredHeader[];
  /** Why a declaration is invalid. Clients must not use the tool over HTTP then. */
  readonly fault?: string;
}

interface Found {
  readonly headers: DeclaredHeader[];
  fault?: string;
}

/** The headers that the input schema of a tool declares. */
export function declaredHeaders(inputSchema: unknown): HeaderDeclarations {
  const found: Found = { headers: [] };
  scan(inputSchema, [], true, found);
  return found;
}

/** Only a property that is reachable through `properties` may declare a header; elsewhere the tool is invalid. */
function scan(schema: unknown, path: readonly string[], isReached: boolean, found: Found): void {
  if (!isObject(schema) || path.length > MAX_DEPTH) return;
  if (Object.hasOwn(schema, KEY)) {
    const name = schema[KEY];
    const fault = faultOf(name, schema.type, isReached && path.length > 0);
    if (fault !== undefined) found.fault ??= fault;
    else found.headers.push({ path, header: `${PREFIX}${name}` });
  }
  for (const [key, part] of Object.entries(schema)) {
    if (key === KEY || DATA.has(key)) continue;
    if (key === 'properties' && isObject(part))
      for (const [name, one] of Object.entries(part)) scan(one, [...path, name], isReached, found);
    else for (const one of schemasIn(key, part)) scan(one, [...path, key], false, found);
  }
}

/** The schemas in a keyword other than `properties`. Each is returned once, so that the scan takes linear time. */
function schemasIn(key: string, part: unknown): readonly unknown[] {
  if (Array.isArray(part)) return part;
  return MAPS.has(key) && isObject(part) ? Object.values(part) : [part];
}

function faultOf(name: unknown, type: unknown, isAllowed: boolean): string | undefined {
  if (!isAllowed) return `${KEY} is not allowed at this place of the schema`;
  if (typeof name !== 'string' || !TOKEN.test(name)) return `${KEY} is not a valid header name`;
  return TYPES.has(type) ? undefined : `${KEY} is set on a property that is not a string, integer or boolean`;
}

/** Keywords whose values are data and not schemas. */
const DATA: ReadonlySet<string> = new Set(['default', 'const', 'enum', 'examples', 'required']);
/** Keywords whose values are maps from names to schemas. */
const MAPS: ReadonlySet<string> = new Set(['$defs', 'definitions', 'patternProperties', 'dependentSchemas']);

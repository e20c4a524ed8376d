import { cleanDeep, cleanText, isObject, visible } from '../../base/index.js';
import { RpcCode, RpcError } from '../../rpc/index.js';
import { namesSecret } from './secret-words.js';

type Fields = Readonly<Record<string, unknown>>;

/** The `_meta` key with which clients can see which server asks, and whether it asks for a secret. */
const ASKED_BY = 'portolan/askedBy';
const OWN_PREFIX = 'portolan/';
const MAX_NAME_CHARACTERS = 60;
const MAX_MESSAGE_CHARACTERS = 8_000;
const MAX_MESSAGE_LINES = 200;
const MAX_TEXT_CHARACTERS = 1_000;
const MAX_DEPTH = 16;
/** More properties than a person fills in. */
const MAX_PROPERTIES = 100;
/** Includes line ends that only some programs recognise. */
const LINE_END = /\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]/;
const EVERY_LINE_END = new RegExp(LINE_END, 'g');
/** Types whose values cannot be a typed secret. */
const CHOICES: ReadonlySet<unknown> = new Set(['boolean', 'null']);

/** Adds the server's name to its request so that no text of the server can imitate it. Throws if a form cannot be shown safely. */
export function attributed(server: string, method: string, params: Fields): Fields {
  if (method === 'elicitation/create') return elicitation(quotedName(server), server, params);
  if (method === 'sampling/createMessage') return { ...params, _meta: marked(params._meta, server, false) };
  return params;
}

function elicitation(name: string, server: string, params: Fields): Fields {
  const message = typeof params.message === 'string' ? params.message : '';
  const quotedText = quotedLines(message);
  if (params.mode === 'url' || params.url !== undefined) {
    const isSecret = namesSecret(message);
    const where = `MCP server ${name} asks you to open a page on ${hostOf(params.url)}`;
    const what = isSecret ? ' and to give a password or another secret there' : '';
    const text = `${where}${what}. Portolan did not ask for this and has not checked the page.`;
    return { ...params, message: `${text}${quotedText}`, _meta: marked(params._meta, server, isSecret) };
  }
  const { schema, isSecret } = form(params.requestedSchema, name, message);
  const text = isSecret
    ? `MCP server ${name} asks for a password or another secret. The answer goes to that server. Portolan did not ask for it.`
    : `MCP server ${name} asks:`;
  return {
    ...params,
    message: `${text}${quotedText}`,
    ...(params.requestedSchema !== undefined && { requestedSchema: schema }),
    _meta: marked(params._meta, server, isSecret),
  };
}

/** The name in quotes, without quotes and line ends inside. */
function quotedName(server: string): string {
  return `"${cleanText(visible(server).replaceAll('"', "'"), MAX_NAME_CHARACTERS).text}"`;
}

/** Quotes each line, so that none looks like text of the gateway. */
function quotedLines(message: string): string {
  const lines = message.slice(0, MAX_MESSAGE_CHARACTERS * 2).split(LINE_END, MAX_MESSAGE_LINES * 2);
  const clean = cleanText(lines.join('\n'), MAX_MESSAGE_CHARACTERS)
    .text.split('\n')
    .map((line) => line.trimEnd());
  const kept = clean.filter((line, at) => line !== '' || (at > 0 && clean[at - 1] !== ''));
  while (kept.at(-1) === '') kept.pop();
  return kept
    .slice(0, MAX_MESSAGE_LINES)
    .map((line) => `\n> ${line}`)
    .join('');
}

/** The host in Punycode, which reveals look-alike letters, and without a user name that could look like a host. */
function hostOf(url: unknown): string {
  const parsed = typeof url === 'string' && URL.canParse(url) ? new URL(url) : undefined;
  if (parsed?.protocol === 'https:' || parsed?.protocol === 'http:') return parsed.host;
  throw refused('"url" is not an http or https address');
}

function form(given: unknown, name: string, message: string): { readonly schema: unknown; readonly isSecret: boolean } {
  const { value } = cleanDeep(given, MAX_TEXT_CHARACTERS, MAX_DEPTH);
  // Property names and enum values are sent back to the server unchanged, so they cannot be cleaned.
  if (cleanDeep(value, Number.POSITIVE_INFINITY, MAX_DEPTH + 1).found.length > 0)
    throw refused('a property name or value of the form has hidden characters');
  const schema = onOneLine(value);
  if (!isObject(schema) || !isObject(schema.properties)) return { schema, isSecret: false };
  const properties = Object.entries(schema.properties);
  if (properties.length > MAX_PROPERTIES) throw refused(`the form has more than ${MAX_PROPERTIES} properties`);
  if (properties.some(([key]) => LINE_END.test(key))) throw refused('a property name of the form has a line end');
  const open = properties.filter(([, property]) => isOpen(property));
  const secret = new Set(open.filter(([key, property]) => asksForSecret(key, property)).map(([key]) => key));
  const texts = [message, schema.title, schema.description].filter((text) => typeof text === 'string');
  const isSecret = secret.size > 0 || (open.length > 0 && texts.some(namesSecret));
  if (secret.size === 0) return { schema, isSecret };
  const shown = properties.map(([key, property]) => [key, secret.has(key) ? warned(property, name) : property]);
  return { schema: { ...schema, properties: Object.fromEntries(shown) }, isSecret };
}

/** A property with free text input. */
function isOpen(property: unknown): boolean {
  if (!isObject(property)) return true;
  if (property.type === 'array') return isOpen(property.items);
  const { type, enum: values, oneOf, anyOf, const: value } = property;
  return !(CHOICES.has(type) || values || oneOf || anyOf || value !== undefined);
}

function asksForSecret(key: string, property: unknown): boolean {
  if (!isObject(property)) return namesSecret(key);
  const { title, description, format, writeOnly } = property;
  return (
    writeOnly === true ||
    [key, title, description, format].some((text) => typeof text === 'string' && namesSecret(text))
  );
}

function warned(property: unknown, name: string): unknown {
  const { description, ...rest } = isObject(property) ? property : {};
  const warning = `A secret for MCP server ${name}.`;
  return { ...rest, description: typeof description === 'string' ? `${warning} ${description}` : warning };
}

/** Puts titles and descriptions on one line, so that none looks like a paragraph of the gateway. */
function onOneLine(value: unknown, key?: string): unknown {
  if (typeof value === 'string')
    return key === 'title' || key === 'description' || key === 'enumNames'
      ? value.replaceAll(EVERY_LINE_END, ' ')
      : value;
  if (Array.isArray(value)) return value.map((item) => onOneLine(item, key));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, onOneLine(item, name)]));
}

/** Adds our `_meta` key and removes keys with our prefix that the server sent. */
function marked(meta: unknown, server: string, asksForSecret: boolean): Fields {
  const own = Object.entries(isObject(meta) ? meta : {}).filter(([key]) => !key.startsWith(OWN_PREFIX));
  return { ...Object.fromEntries(own), [ASKED_BY]: { server, ...(asksForSecret && { asksForSecret: true }) } };
}

function refused(why: string): RpcError {
  return new RpcError(RpcCode.invalidParams, `elicitation/create is not passed on: ${why}`);
}

// Converts a zod schema, as tsc writes its type, to a TypeScript type: `z.ZodArray<z.ZodString>` is `string[]`.

const PLAIN = {
  ZodString: 'string',
  ZodNumber: 'number',
  ZodInt: 'number',
  ZodBoolean: 'boolean',
  ZodUnknown: 'unknown',
  ZodURL: 'string',
};

/**
 * The type that a schema describes; a part that has a name is referred to by that name. An unknown kind of schema is an
 * error, so that no page describes only a part of it.
 */
export function shapeOf(schema, nameOf = () => undefined, indent = '') {
  const [, kind = '', rest] = /^z\.(\w+)(?:<([\s\S]*)>)?$/.exec(schema.trim()) ?? [];
  if (kind in PLAIN) return PLAIN[kind];
  const parts = rest === undefined ? [] : split(rest);
  const within = (part, deeper = indent) => nameOf(part) ?? shapeOf(part, nameOf, deeper);
  switch (kind) {
    case 'ZodObject':
      return object(parts[0], within, indent);
    case 'ZodExactOptional':
      return within(parts[0]);
    case 'ZodReadonly':
      return parts[0].startsWith('z.ZodArray<') ? `readonly ${within(parts[0])}` : `Readonly<${within(parts[0])}>`;
    case 'ZodArray':
      return `${bracketed(within(parts[0]))}[]`;
    case 'ZodRecord':
      return `Record<${within(parts[0])}, ${within(parts[1])}>`;
    case 'ZodEnum':
      return members(parts[0])
        .map(({ value }) => value)
        .join(' | ');
    case 'ZodLiteral':
      return parts[0];
    case 'ZodUnion':
      return split(inside(parts[0].replace(/^readonly /, '')))
        .map((one) => within(one))
        .join(' | ');
    default:
      throw new Error(`no words yet for this schema: ${schema.slice(0, 80)}`);
  }
}

/** Two texts of one schema differ only in line breaks. */
export function squeezed(schema) {
  return schema.replaceAll(/\s+/g, '');
}

function bracketed(shape) {
  return shape.includes(' | ') || shape.startsWith('readonly ') ? `(${shape})` : shape;
}

function object(written, within, indent) {
  const inner = `${indent}  `;
  const fields = members(written).map(({ name, value }) => {
    const mark = value.startsWith('z.ZodExactOptional<') ? '?' : '';
    return `${inner}${name}${mark}: ${within(value, inner)};`;
  });
  return `{\n${fields.join('\n')}\n${indent}}`;
}

/** The members of an object type, as written. */
function members(written) {
  return split(inside(written), ';').map((line) => {
    const colon = line.indexOf(':');
    return { name: line.slice(0, colon).trim(), value: line.slice(colon + 1).trim() };
  });
}

function inside(written) {
  return written.trim().slice(1, -1);
}

/** The parts between separators that are not inside brackets. */
function split(text, separator = ',') {
  const parts = [''];
  let depth = 0;
  for (const char of text) {
    if ('<({['.includes(char)) depth += 1;
    else if ('>)}]'.includes(char)) depth -= 1;
    if (char === separator && depth === 0) parts.push('');
    else parts[parts.length - 1] += char;
  }
  return parts.map((part) => part.trim()).filter((part) => part !== '');
}

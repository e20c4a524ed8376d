import { expect, it } from 'vitest';
import { declaredHeaders } from './header-declarations.js';

it('scans each part of a deeply nested schema once', () => {
  let visits = 0;
  let schema: object = { type: 'string' };
  for (let n = 0; n < 25; n += 1) {
    const inner = schema;
    schema = {
      get items() {
        visits += 1;
        return inner;
      },
    };
  }
  expect(declaredHeaders(schema)).toEqual({ headers: [] });
  expect(visits).toBe(25);
});

it.each(['$defs', 'definitions', 'patternProperties', 'dependentSchemas'])(
  'finds a declaration in %s, also under the name of a keyword',
  (keyword) => {
    const schema = { [keyword]: { default: { type: 'string', 'x-mcp-header': 'D' } } };
    expect(declaredHeaders(schema)).toEqual({ headers: [], fault: expect.stringContaining('not allowed') });
  },
);

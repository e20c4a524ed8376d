import { describe, expect, it } from 'vitest';
import { readJson } from '../../base/index.js';
import { headerFault, paramHeaders } from './param-headers.js';

const schema = {
  type: 'object',
  properties: {
    region: { type: 'string', 'x-mcp-header': 'Region' },
    count: { type: 'integer', 'x-mcp-header': 'Count' },
    where: { type: 'object', properties: { dry: { type: 'boolean', 'x-mcp-header': 'Dry' } } },
    plain: { type: 'string', default: { 'x-mcp-header': 'no schema, but data' } },
  },
};

describe('paramHeaders', () => {
  it.each([
    {
      title: 'declared arguments at any depth',
      given: { region: 'eu', count: 3, where: { dry: true }, plain: 'x' },
      headers: { 'Mcp-Param-Region': 'eu', 'Mcp-Param-Count': '3', 'Mcp-Param-Dry': 'true' },
    },
    { title: 'nothing for missing arguments', given: { plain: 'x' }, headers: {} },
    {
      title: 'nothing for arrays, null and numbers of other types',
      given: { region: ['eu'], count: null, where: 7 },
      headers: {},
    },
    {
      title: 'text beyond ASCII in base64',
      given: { region: 'Zürich' },
      headers: { 'Mcp-Param-Region': '=?base64?WsO8cmljaA==?=' },
    },
    {
      title: 'a line break in base64',
      given: { region: 'a\r\nX-Evil: 1' },
      headers: { 'Mcp-Param-Region': '=?base64?YQ0KWC1FdmlsOiAx?=' },
    },
    {
      title: 'leading or trailing space in base64',
      given: { region: ' eu' },
      headers: { 'Mcp-Param-Region': '=?base64?IGV1?=' },
    },
    {
      title: 'a value that looks encoded in base64',
      given: { region: '=?base64?eA==?=' },
      headers: { 'Mcp-Param-Region': '=?base64?PT9iYXNlNjQ/ZUE9PT89?=' },
    },
    {
      title: 'an integer with all digits of the body',
      given: readJson('{"count":12345678901234567891}'),
      headers: { 'Mcp-Param-Count': '12345678901234567891' },
    },
    { title: 'nothing inherited', given: Object.create({ region: 'eu' }), headers: {} },
  ])('sends $title', ({ given, headers }) => {
    expect(paramHeaders(schema, given)).toEqual(headers);
  });
});

describe('headerFault', () => {
  const property = (part: Record<string, unknown>) => ({ type: 'object', properties: { a: part } });
  it('accepts valid declarations', () => {
    expect([headerFault(schema), headerFault({}), headerFault(true), headerFault(undefined)]).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });

  it.each([
    { title: 'an empty name', bad: property({ type: 'string', 'x-mcp-header': '' }) },
    { title: 'a name with a space', bad: property({ type: 'string', 'x-mcp-header': 'a b' }) },
    { title: 'a name with a line break', bad: property({ type: 'string', 'x-mcp-header': 'a\r\nb' }) },
    { title: 'a name that is not a string', bad: property({ type: 'string', 'x-mcp-header': 7 }) },
    { title: 'a number', bad: property({ type: 'number', 'x-mcp-header': 'N' }) },
    { title: 'an object', bad: property({ type: 'object', 'x-mcp-header': 'O' }) },
    { title: 'no type', bad: property({ 'x-mcp-header': 'T' }) },
    { title: 'the schema itself', bad: { type: 'object', 'x-mcp-header': 'S' } },
    { title: 'items of a list', bad: property({ type: 'array', items: { type: 'string', 'x-mcp-header': 'I' } }) },
    { title: 'an alternative', bad: property({ anyOf: [{ type: 'string', 'x-mcp-header': 'A' }] }) },
    { title: 'a property within an alternative', bad: { oneOf: [property({ type: 'string', 'x-mcp-header': 'A' })] } },
    { title: 'a definition', bad: { $defs: { d: { type: 'string', 'x-mcp-header': 'D' } } } },
    {
      title: 'a name twice, whatever its case',
      bad: { properties: { a: { type: 'string', 'x-mcp-header': 'X' }, b: { type: 'string', 'x-mcp-header': 'x' } } },
    },
  ])('rejects $title', ({ bad }) => {
    expect(headerFault(bad)).toEqual(expect.any(String));
  });
});

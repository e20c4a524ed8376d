import { describe, expect, it } from 'vitest';
import { paramFault } from './check-param-headers.js';

const SCHEMA = {
  type: 'object',
  properties: {
    region: { type: 'string', 'x-mcp-header': 'Region' },
    count: { type: 'integer', 'x-mcp-header': 'Count' },
    loud: { type: 'boolean', 'x-mcp-header': 'Loud' },
    deep: { type: 'object', properties: { er: { type: 'string', 'x-mcp-header': 'Deep' } } },
    free: { type: 'string' },
    wrong: { type: 'string', 'x-mcp-header': 'no token' },
    list: { type: 'array', items: { type: 'string', 'x-mcp-header': 'Item' } },
  },
};
const MISSING = { code: -32020, message: expect.stringContaining('is missing') };
const OTHER = { code: -32020, message: expect.stringContaining('does not match the body') };

describe('paramFault', () => {
  it.each([
    { given: { region: 'eu' }, headers: { 'mcp-param-region': 'eu' }, fault: undefined },
    { given: { region: 'eu' }, headers: { 'MCP-PARAM-REGION': ' eu ' }, fault: undefined },
    { given: { region: 'ä' }, headers: { 'Mcp-Param-Region': '=?base64?w6Q=?=' }, fault: undefined },
    { given: { region: 'ä' }, headers: { 'Mcp-Param-Region': '=?base64?w6Q?=' }, fault: OTHER },
    { given: { region: 'eu' }, headers: { 'Mcp-Param-Region': 'EU' }, fault: OTHER },
    { given: { region: 'eu' }, headers: {}, fault: MISSING },
    { given: { region: '' }, headers: { 'Mcp-Param-Region': '' }, fault: undefined },
    { given: { count: 7 }, headers: { 'Mcp-Param-Count': '7.0' }, fault: undefined },
    { given: { count: 7 }, headers: { 'Mcp-Param-Count': '0x7' }, fault: OTHER },
    { given: { loud: true }, headers: { 'Mcp-Param-Loud': 'true' }, fault: undefined },
    { given: { loud: true }, headers: { 'Mcp-Param-Loud': 'yes' }, fault: OTHER },
    { given: { deep: { er: 'x' } }, headers: {}, fault: MISSING },
    { given: { region: null, free: 'x', wrong: 'x', list: ['x'] }, headers: {}, fault: undefined },
    { given: { region: { a: 1 } }, headers: {}, fault: undefined },
    { given: {}, headers: { 'Mcp-Param-Region': 'eu' }, fault: undefined },
    { given: 'nothing', headers: {}, fault: undefined },
  ])('for $given with $headers is $fault', ({ given, headers, fault }) => {
    expect(paramFault(SCHEMA, given, new Headers(headers))).toEqual(fault);
  });

  it('finds no fault for an invalid schema, or a parameter named like an object property', () => {
    expect(paramFault(undefined, {}, new Headers())).toBeUndefined();
    const schema = JSON.parse('{"properties":{"__proto__":{"type":"string","x-mcp-header":"Proto"}}}');
    expect(paramFault(schema, {}, new Headers())).toBeUndefined();
  });
});

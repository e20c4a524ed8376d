import { describe, expect, it } from 'vitest';
import { decoded, standardHeaderFault } from './standard-headers.js';

const BOTH = { 'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': 'tools/call' };

describe('headerFault', () => {
  it.each([
    { title: 'no headers', headers: {}, message: 'the header MCP-Protocol-Version is missing' },
    {
      title: 'only a revision',
      headers: { 'mcp-protocol-version': '2026-07-28' },
      message: 'the header Mcp-Method is missing',
    },
    { title: 'no name', headers: BOTH, message: 'the header Mcp-Name is missing' },
    {
      title: 'another name',
      headers: { ...BOTH, 'Mcp-Name': 'other' },
      message: 'the header Mcp-Name does not match the body',
    },
    {
      title: 'a name in another case',
      headers: { ...BOTH, 'Mcp-Name': 'Echo' },
      message: 'the header Mcp-Name does not match the body',
    },
    {
      title: 'a name in broken Base64',
      headers: { ...BOTH, 'Mcp-Name': '=?base64?ZWNobw?=' },
      message: 'the header Mcp-Name does not match the body',
    },
  ])('reports $title', ({ headers, message }) => {
    const fault = standardHeaderFault(new Headers(headers), { method: 'tools/call', params: { name: 'echo' } });
    expect(fault).toEqual({ code: -32020, message });
  });

  it.each([
    { title: 'the name', name: ' echo ', method: 'tools/call', params: { name: 'echo' } },
    { title: 'the name in Base64', name: '=?base64?w6TDtg==?=', method: 'prompts/get', params: { name: 'äö' } },
    { title: 'the address', name: 'file:///a%20b', method: 'resources/read', params: { uri: 'file:///a%20b' } },
    { title: 'any name for a method without one', name: 'x', method: 'tools/list', params: {} },
    { title: 'any name if the name is not a string', name: 'x', method: 'tools/call', params: { name: 7 } },
    { title: 'any name for a method named like an object property', name: 'x', method: 'constructor', params: {} },
  ])('accepts $title', ({ name, method, params }) => {
    expect(standardHeaderFault(new Headers({ ...BOTH, 'Mcp-Name': name }), { method, params })).toBeUndefined();
  });
});

describe('decoded', () => {
  it.each([
    ['plain', 'plain'],
    ['=?base64?aGk=?=', 'hi'],
    ['=?base64??=', ''],
    ['=?base64?aGk?=', undefined],
    ['=?base64?a$k=?=', undefined],
    ['=?base64?/w==?=', undefined],
  ])('%j is %j', (header, text) => {
    expect(decoded(header)).toBe(text);
  });
});

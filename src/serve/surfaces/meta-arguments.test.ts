import { describe, expect, it } from 'vitest';
import { ErrorCode } from '../../base/index.js';
import { readMetaCall } from './meta-tools.js';

describe('readMetaCall', () => {
  it.each([
    { tool: 'list_mcp_servers', given: undefined, call: {} },
    { tool: 'list_mcp_servers', given: { extra: 1 }, call: {} },
    { tool: 'search_tools', given: { query: 'a' }, call: { query: 'a' } },
    {
      tool: 'search_tools',
      given: { query: ['a', 'b'], server: 's', limit: 3 },
      call: { query: ['a', 'b'], server: 's', limit: 3 },
    },
    {
      tool: 'search_tools',
      given: { query: 'a', server: '', limit: null },
      call: { query: 'a' },
    },
    {
      tool: 'search_tools',
      given: { query: 'a', limit: 10 ** 9 },
      call: { query: 'a', limit: 100 },
    },
    { tool: 'list_tools', given: { server: 's' }, call: { server: 's', includeDisabled: false } },
    {
      tool: 'get_tool_details',
      given: { server: 's', tool: 't' },
      call: { server: 's', tool: 't' },
    },
    {
      tool: 'execute_tool',
      given: { server: 's', tool: 't' },
      call: { server: 's', tool: 't', toolArguments: {} },
    },
    {
      tool: 'execute_tool',
      given: { server: 's', tool: 't', arguments: '{"a":1}' },
      call: { server: 's', tool: 't', toolArguments: { a: 1 } },
    },
    {
      tool: 'execute_tool',
      given: {
        calls: [
          { server: 's', tool: 't', arguments: { a: 1 } },
          { server: 'r', tool: 'u', arguments: '{}' },
        ],
      },
      call: {
        calls: [
          { server: 's', tool: 't', toolArguments: { a: 1 } },
          { server: 'r', tool: 'u', toolArguments: {} },
        ],
      },
    },
    {
      tool: 'execute_tool',
      given: { server: 's', tool: '', arguments: {}, calls: '[{"tool":"t"},{"server":"r","tool":"t"}]' },
      call: {
        calls: [
          { server: 's', tool: 't', toolArguments: {} },
          { server: 'r', tool: 't', toolArguments: {} },
        ],
      },
    },
  ])('reads $tool with $given', ({ tool, given, call }) => {
    expect(readMetaCall(tool, given)?.parsed).toEqual(call);
  });

  it.each(['', 'nope', '__proto__', 'constructor', 'toString'])('is undefined for the unknown tool %j', (tool) => {
    expect(readMetaCall(tool, {})).toBeUndefined();
  });

  it.each([
    { tool: 'search_tools', given: {}, what: 'query is missing' },
    { tool: 'search_tools', given: { query: '' }, what: 'query is empty' },
    { tool: 'run_python', given: { code: '' }, what: 'code is empty' },
    { tool: 'execute_tool', given: {}, what: 'server is missing' },
    {
      tool: 'execute_tool',
      given: { tool: 't', calls: [{ server: 's', tool: 't' }] },
      what: 'tool and calls exclude each other: send one of them',
    },
    {
      tool: 'execute_tool',
      given: { arguments: { a: 1 }, calls: [{ server: 's', tool: 't' }] },
      what: 'arguments and calls exclude each other: each call has its own arguments',
    },
    { tool: 'execute_tool', given: { calls: [] }, what: 'calls must be an array of 1 to 20 calls' },
    { tool: 'execute_tool', given: { calls: 'no' }, what: 'calls must be an array of 1 to 20 calls' },
    {
      tool: 'execute_tool',
      given: { calls: Array.from({ length: 21 }, () => ({ server: 's', tool: 't' })) },
      what: 'calls must be an array of 1 to 20 calls',
    },
    {
      tool: 'execute_tool',
      given: { calls: [7] },
      what: 'calls[0] must be an object with server, tool and arguments',
    },
    {
      tool: 'execute_tool',
      given: { calls: [{ server: 's', tool: 't' }, { tool: 't' }] },
      what: 'calls[1].server is missing',
    },
    {
      tool: 'execute_tool',
      given: { calls: [{ server: 's', tool: 't', arguments: [] }] },
      what: 'calls[0].arguments must be an object',
    },
    { tool: 'search_tools', given: { query: [] }, what: 'query must be a string' },
    { tool: 'search_tools', given: { query: ['a', 7] }, what: 'query must be a string' },
    { tool: 'search_tools', given: { query: 'a', limit: 1.5 }, what: 'limit must be an integer of at least 1' },
    { tool: 'search_tools', given: { query: 'a', limit: '5' }, what: 'limit must be an integer of at least 1' },
    { tool: 'search_tools', given: JSON.parse('{"__proto__":{"query":"a"}}'), what: 'query is missing' },
    { tool: 'search_tools', given: [], what: 'arguments must be an object' },
    { tool: 'search_tools', given: 'a', what: 'arguments must be an object' },
    { tool: 'list_tools', given: { server: 7 }, what: 'server must be a string' },
    { tool: 'list_tools', given: { server: 's', includeDisabled: 1 }, what: 'includeDisabled must be true or false' },
    { tool: 'execute_tool', given: { server: 's', tool: 't', arguments: '{' }, what: 'arguments must be an object' },
    { tool: 'execute_tool', given: { server: 's', tool: 't', arguments: 7 }, what: 'arguments must be an object' },
  ])('refuses $tool with $given: $what', ({ tool, given, what }) => {
    expect(() => readMetaCall(tool, given)).toThrow(
      expect.objectContaining({ code: ErrorCode.ToolValidationError, message: `${tool}: ${what}` }),
    );
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Incoming, parseLine, readMessage } from './message.js';

const MAX_DEPTH = 16;
const parse = (text: string | Uint8Array) => parseLine(Buffer.from(text), MAX_DEPTH);
const invalid = (code: number, message: string, id?: string | number) => ({
  kind: 'invalid' as const,
  id,
  fault: { code, message },
});

describe('parseLine', () => {
  it.each<{ title: string; line: string; read: Incoming }>([
    {
      title: 'a request',
      line: '{"jsonrpc":"2.0","id":0,"method":"ping"}',
      read: { kind: 'request', id: 0, method: 'ping', params: undefined },
    },
    {
      title: 'a request with a string id',
      line: '{"jsonrpc":"2.0","id":"","method":"m","params":{"a":1}}',
      read: { kind: 'request', id: '', method: 'm', params: { a: 1 } },
    },
    {
      title: 'a notification',
      line: '{"jsonrpc":"2.0","method":"n","params":{}}',
      read: { kind: 'notification', method: 'n', params: {} },
    },
    {
      title: 'a result',
      line: '{"jsonrpc":"2.0","id":3, "result":{"a":1}}',
      read: { kind: 'result', id: 3, result: { a: 1 } },
    },
    {
      title: 'a result after its id, with the original JSON',
      line: '{"jsonrpc":"2.0","id":3,"result":{"a":9007199254740993}}',
      read: { kind: 'result', id: 3, result: { a: 9007199254740992 }, json: '{"a":9007199254740993}' },
    },
    {
      title: 'a result before a second id, with the second id and without the original JSON',
      line: '{"jsonrpc":"2.0","id":3,"result":{},"id":7}',
      read: { kind: 'result', id: 7, result: {} },
    },
    {
      title: 'a result that is null',
      line: '{"jsonrpc":"2.0","id":3,"result":null}',
      read: { kind: 'result', id: 3, result: null, json: 'null' },
    },
    {
      title: 'a result in the key order of the SDKs, with the original JSON',
      line: '{"result":{"a":"ä"},"jsonrpc":"2.0","id":3}',
      read: { kind: 'result', id: 3, result: { a: 'ä' }, json: '{"a":"ä"}' },
    },
    {
      title: 'an error',
      line: '{"jsonrpc":"2.0","id":3,"error":{"code":-1,"message":"no","data":[1]}}',
      read: { kind: 'fault', id: 3, fault: { code: -1, message: 'no', data: [1] } },
    },
    {
      title: 'an error without an id and a code',
      line: '{"jsonrpc":"2.0","id":null,"error":{}}',
      read: { kind: 'fault', id: undefined, fault: { code: -32603, message: 'an error without a message' } },
    },
    { title: 'text that is not JSON', line: 'hello', read: invalid(-32700, 'not valid JSON') },
    { title: 'an incomplete message', line: '{"jsonrpc":"2.0","id":1,', read: invalid(-32700, 'not valid JSON') },
    { title: 'a NUL in a message', line: '{"jsonrpc":"2.0","id":1,\0}', read: invalid(-32700, 'not valid JSON') },
    { title: 'a number', line: '7', read: invalid(-32600, 'a message must be an object') },
    { title: 'null', line: 'null', read: invalid(-32600, 'a message must be an object') },
    {
      title: 'another version',
      line: '{"jsonrpc":"1.0","id":4}',
      read: invalid(-32600, '"jsonrpc" is not "2.0"', 4),
    },
    {
      title: 'an error that is a text',
      line: '{"jsonrpc":"2.0","id":4,"error":"no"}',
      read: { ...invalid(-32600, 'neither a request nor a response', 4), mayAnswer: true },
    },
    {
      title: 'neither method nor result',
      line: '{"jsonrpc":"2.0","id":4}',
      read: { ...invalid(-32600, 'neither a request nor a response', 4), mayAnswer: true },
    },
    {
      title: 'a method that is a number',
      line: '{"jsonrpc":"2.0","id":4,"method":5}',
      read: invalid(-32600, '"method" is not a string', 4),
    },
    {
      title: 'params that are a list',
      line: '{"jsonrpc":"2.0","id":4,"method":"m","params":[]}',
      read: invalid(-32602, '"params" is not an object', 4),
    },
    {
      title: 'a notification with null params',
      line: '{"jsonrpc":"2.0","method":"m","params":null}',
      read: invalid(-32600, '"params" is not an object'),
    },
    {
      title: 'an id that is null',
      line: '{"jsonrpc":"2.0","id":null,"method":"m"}',
      read: invalid(-32600, '"id" must be a short string or an integer up to 2^53'),
    },
    {
      title: 'an id that JavaScript rounds',
      line: '{"jsonrpc":"2.0","id":9007199254740993,"method":"m"}',
      read: invalid(-32600, '"id" must be a short string or an integer up to 2^53'),
    },
    {
      title: 'an id that overflows',
      line: '{"jsonrpc":"2.0","id":1e999,"method":"m"}',
      read: invalid(-32600, '"id" must be a short string or an integer up to 2^53'),
    },
    {
      title: 'an id over the length limit',
      line: `{"jsonrpc":"2.0","id":"${'x'.repeat(1_025)}","method":"m"}`,
      read: invalid(-32600, '"id" must be a short string or an integer up to 2^53'),
    },
    {
      title: 'an id in __proto__',
      line: '{"jsonrpc":"2.0","__proto__":{"id":7},"method":"m"}',
      read: { kind: 'notification', method: 'm', params: undefined },
    },
    { title: 'an empty batch', line: '[]', read: invalid(-32600, 'a batch must have 1 to 256 messages') },
    {
      title: 'a batch of 257',
      line: `[${Array.from({ length: 257 }, () => '1').join()}]`,
      read: invalid(-32600, 'a batch must have 1 to 256 messages'),
    },
    {
      title: 'a request over the depth limit, with its id',
      line: `{"jsonrpc":"2.0","id":9,"method":"m","params":${'['.repeat(20)}${']'.repeat(20)}}`,
      read: invalid(-32600, 'nested deeper than 16', 9),
    },
    {
      title: 'a response over the depth limit, with its id',
      line: `{"jsonrpc":"2.0","id":9,"result":{"method":${'['.repeat(20)}${']'.repeat(20)}}}`,
      read: { ...invalid(-32600, 'nested deeper than 16', 9), isAnswer: true },
    },
    {
      title: 'a message over the depth limit without an id',
      line: '['.repeat(17) + ']'.repeat(17),
      read: invalid(-32600, 'nested deeper than 16'),
    },
  ])('reads $title', ({ line, read }) => {
    expect(parse(line)).toEqual([read]);
  });

  it('reads each message of a batch', () => {
    expect(parse('[{"jsonrpc":"2.0","method":"a"},7]')).toEqual([
      { kind: 'notification', method: 'a', params: undefined },
      invalid(-32600, 'a message must be an object'),
    ]);
  });

  it.each(['{"jsonrpc":"2.0","id":3,"result":{"a":1}}', '{"result":{"a":1},"jsonrpc":"2.0","id":3}'])(
    'reads %s after a byte order mark',
    (line) => {
      expect(parse(`\ufeff${line}`)).toEqual([{ kind: 'result', id: 3, result: { a: 1 } }]);
    },
  );

  it('replaces bytes that are not UTF-8', () => {
    const [head, tail] = [Buffer.from('{"result":{"a":"'), Buffer.from('"},"jsonrpc":"2.0","id":3}')];
    expect(parse(Buffer.concat([head, Buffer.from([0xff]), tail]))).toEqual([
      { kind: 'result', id: 3, result: { a: '\ufffd' } },
    ]);
  });

  it.each([
    '{"result":{"a":1},"jsonrpc":"2.0","id":3},"jsonrpc":"2.0","id":4}',
    '{"result":{"a":"},\\"jsonrpc\\":\\"2.0\\",\\"id\\":3}',
    '{"result":,"jsonrpc":"2.0","id":3}',
    '{"result":1]]],"jsonrpc":"2.0","id":3}',
  ])('rejects %s', (line) => {
    expect(parse(line)).toEqual([invalid(-32700, 'not valid JSON')]);
  });

  it('keeps a long result as received bytes, and a short one as text', () => {
    const jsonOf = (length: number) => {
      const [read] = parse(`{"result":"${'ä'.repeat(length)}","jsonrpc":"2.0","id":3}`);
      return read?.kind === 'result' ? read.json : undefined;
    };
    expect(jsonOf(4_094)).toBe(`"${'ä'.repeat(4_094)}"`);
    expect(jsonOf(4_095)).toEqual(Buffer.from(`"${'ä'.repeat(4_095)}"`));
  });

  it('uses the last of two results, as JSON.parse does', () => {
    expect(parse('{"result":{"a":1},"result":{"b":2},"jsonrpc":"2.0","id":3}')).toEqual([
      { kind: 'result', id: 3, result: { b: 2 } },
    ]);
  });

  it('returns the JSON of exactly the parsed result', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.nat(), (value, id) => {
        const [read] = parseLine(Buffer.from(JSON.stringify({ result: value, jsonrpc: '2.0', id })), 1_000);
        const result: unknown = JSON.parse(JSON.stringify(value));
        expect(read).toEqual({ kind: 'result', id, result, json: JSON.stringify(value) });
        expect(read?.kind === 'result' && JSON.parse(String(read.json))).toEqual(result);
      }),
      { numRuns: 500 },
    );
  });

  it('returns messages and never throws for any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        expect(parse(bytes).length).toBeGreaterThan(0);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('readMessage', () => {
  it('changes no prototype', () => {
    const hostile: unknown = JSON.parse('{"jsonrpc":"2.0","id":1,"method":"m","params":{"__proto__":{"polluted":1}}}');
    const read = readMessage(hostile);
    expect(read.kind).toBe('request');
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
    expect(read.kind === 'request' && { ...read.params }.polluted).toBeUndefined();
  });

  it.each([
    '{"jsonrpc":"2.0","id":007,"result":{}}',
    '{"jsonrpc":"2.0","id":00,"result":1}',
    '{"result":{},"jsonrpc":"2.0","id":00}',
    '{"jsonrpc":"2.0","id":1,"result":1},"x":2}',
    '{"jsonrpc":"2.0","id":1,"result":}',
    '{"result":{},"jsonrpc":"2.0","id":1e1}',
    '{"jsonrpc":"2.0","id":-1,"result":{}}',
    '{"jsonrpc":"2.0","id":0,"result":{}}',
    '{"jsonrpc":"2.0","id":1,"result":{},"error":{}}',
    '{"jsonrpc":"2.0","id":9999999999999999,"result":{}}',
    '{"result":{"a":1},"jsonrpc":"2.0","id":30}',
  ])('reads %s like JSON.parse', (line) => {
    const [read] = parseLine(Buffer.from(line), 16);
    const { json: _, ...message } = { json: undefined, ...read };
    expect(message).toEqual(
      isJson(line) ? readMessage(JSON.parse(line)) : expect.objectContaining({ kind: 'invalid' }),
    );
  });
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

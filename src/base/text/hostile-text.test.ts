import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cleanDeep, cleanText, type TextFault } from './hostile-text.js';

const ZWJ = '\u200d';
const MANY = 1_000;

describe('cleanText', () => {
  it.each<{ title: string; text: string; expected: string; found: readonly TextFault[] }>([
    { title: 'plain text', text: 'Reads a file.\n\tAt once.', expected: 'Reads a file.\n\tAt once.', found: [] },
    { title: 'Windows line ends', text: 'a\r\nb\r\n', expected: 'a\nb\n', found: [] },
    { title: 'a carriage return that overwrites a line', text: 'good\rbad', expected: 'goodbad', found: ['control'] },
    { title: 'colours', text: '\x1b[1;31mred\x1b[0m', expected: 'red', found: ['ansi'] },
    { title: 'colours with a one-character introducer', text: '\x9b31mred', expected: 'red', found: ['ansi'] },
    { title: 'a link', text: '\x1b]8;;http://evil\x07ok\x1b]8;;\x1b\\!', expected: 'ok!', found: ['osc'] },
    {
      title: 'a link with a one-character introducer',
      text: '\x9d8;;http://evil\x9cok',
      expected: 'ok',
      found: ['osc'],
    },
    { title: 'an unterminated link', text: '\x1b]8;;http://evil\nnext', expected: '\nnext', found: ['osc'] },
    { title: 'a device control string', text: 'a\x1bPq#0\x1b\\b', expected: 'ab', found: ['ansi'] },
    { title: 'an escape with one letter', text: 'a\x1bcb', expected: 'ab', found: ['ansi'] },
    { title: 'a single escape', text: 'a\x1b', expected: 'a', found: ['control'] },
    {
      title: 'a sequence interrupted by another',
      text: 'a\x1b\u200b[31m',
      expected: 'a[31m',
      found: ['control', 'zero-width'],
    },
    { title: 'quotes decoded wrongly', text: 'â\x80\x9dyes', expected: 'âyes', found: ['control'] },
    { title: 'half a surrogate pair', text: 'a\ud83db\ude00', expected: 'ab', found: ['lone-surrogate'] },
    { title: 'a joiner between Latin letters', text: `a${ZWJ}b\u200cc`, expected: 'abc', found: ['zero-width'] },
    {
      title: 'two joiners in a row, the first of them valid',
      text: `\u0645${ZWJ}${ZWJ}\u06cc`,
      expected: `\u0645${ZWJ}\u06cc`,
      found: ['zero-width'],
    },
    {
      title: 'a joiner between a picture and a letter',
      text: `👩${ZWJ}x`,
      expected: '👩x',
      found: ['zero-width'],
    },
    { title: 'a variation selector after a letter', text: 'x\ufe0f', expected: 'x', found: ['variation-selector'] },
    { title: 'a second variation selector', text: '❤\ufe0f\ufe0f', expected: '❤\ufe0f', found: ['variation-selector'] },
    { title: 'tags after a flag without tags', text: '🏴\u{e0041}', expected: '🏴', found: ['tag'] },
    { title: 'tags after the tags of a flag', text: '🏴󠁧󠁢󠁥󠁮󠁧󠁿\u{e0041}', expected: '🏴󠁧󠁢󠁥󠁮󠁧󠁿', found: ['tag'] },
    { title: 'filler letters', text: 'a\u3164\u115f\uffa0b', expected: 'ab', found: ['zero-width'] },
    { title: 'interlinear annotations', text: 'a\ufff9b\ufffac\ufffb', expected: 'abc', found: ['zero-width'] },
    {
      title: 'every kind of fault once, in order',
      text: '\u202e\u200b\u202e\u0007',
      expected: '',
      found: ['bidi', 'zero-width', 'control'],
    },
  ])('returns $expected for $title', ({ text, expected, found }) => {
    expect(cleanText(text, MANY)).toEqual({ text: expected, found });
  });

  it.each([
    { text: 'abcdef', max: 6, expected: 'abcdef' },
    { text: 'abcdef', max: 5, expected: 'abcd…' },
    { text: '😀😀😀', max: 4, expected: '😀…' },
    { text: `👩${ZWJ}💻`, max: 4, expected: '👩…' },
    { text: '1️⃣', max: 2, expected: '1…' },
    { text: '🏴󠁧󠁢󠁥󠁮󠁧󠁿', max: 10, expected: '🏴…' },
    { text: 'ab', max: 1, expected: '…' },
    { text: 'ab', max: 0, expected: '' },
  ])('cuts $text to $expected', ({ text, max, expected }) => {
    expect(cleanText(text, max)).toEqual({ text: expected, found: expected === text ? [] : ['oversize'] });
  });

  it('is idempotent and respects the limit', () => {
    const nasty = fc.constantFrom(
      ...[
        '\x1b',
        '[',
        ']',
        '8;;',
        '\x07',
        '\x9d',
        '\x9c',
        ZWJ,
        '\u200c',
        '\ufe0f',
        '\u20e3',
        '1',
        'a',
        '👩',
        '🏴',
        '❤',
        '🏽',
      ],
      ...[
        '\u{e0067}',
        '\u{e0062}',
        '\u{e007f}',
        '\u0645',
        '\u094d',
        '\u0915',
        '\ud83d',
        '\ude00',
        '\r',
        '\n',
        '\u202e',
        '\u1820',
        '\u180b',
      ],
    );
    const text = fc
      .array(fc.oneof(nasty, fc.string({ unit: 'binary' })), { maxLength: 30 })
      .map((parts) => parts.join(''));
    fc.assert(
      fc.property(text, fc.nat({ max: 60 }), (dirty, max) => {
        const once = cleanText(dirty, max);
        expect(once.text.length).toBeLessThanOrEqual(max);
        expect(cleanText(once.text, max)).toEqual({ text: once.text, found: [] });
        expect(once.text === dirty).toBe(once.found.length === 0 && !dirty.includes('\r\n'));
      }),
      { numRuns: 3_000 },
    );
  });

  it.each(['\x1b', '\x1b[', '\x1b]', '\x1bP', '\x9d', '\x9b1', '\x1b ', ZWJ, '\u{e0041}', '👨‍👩‍👧‍👦', '\ud83d', '🏴󠁧'])(
    'takes linear time for a million of %j',
    (part) => {
      const start = performance.now();
      cleanText(part.repeat(1_000_000 / part.length), MANY);
      expect(performance.now() - start).toBeLessThan(5_000);
    },
  );
});

describe('cleanDeep', () => {
  it('cleans descriptions, and reports but keeps values that a call must repeat', () => {
    const dirty = {
      title: 'a\u200b',
      properties: {
        default: { description: 'b\u200b', default: 'c\u202e', enum: ['d\u{e0041}', { x: 'e\ufe01' }] },
        'na\u2060me': { type: 'string', pattern: '^\x07$' },
      },
      required: ['na\u2060me'],
      dependencies: { a: ['na\u2060me'], b: { title: 'f\u200b' } },
      anyOf: [{ description: 'g\u200b' }, true, null, 7],
      $ref: '#/\u200b',
    };
    expect(cleanDeep(dirty, MANY, 10)).toEqual({
      value: {
        ...dirty,
        title: 'a',
        properties: { ...dirty.properties, default: { ...dirty.properties.default, description: 'b' } },
        dependencies: { a: ['na\u2060me'], b: { title: 'f' } },
        anyOf: [{ description: 'g' }, true, null, 7],
      },
      found: ['zero-width', 'bidi', 'tag', 'variation-selector', 'control'],
    });
  });

  it('returns the same object if there is nothing to clean', () => {
    const clean = { type: 'object', properties: { a: { enum: ['x'], description: 'y' } } };
    expect(cleanDeep(clean, MANY, 10).value).toBe(clean);
  });

  it('keeps a key named __proto__ as an ordinary key', () => {
    const { value } = cleanDeep(JSON.parse('{"__proto__":{"title":"a\\u200b"}}'), MANY, 10);
    expect(JSON.stringify(value)).toBe('{"__proto__":{"title":"a"}}');
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  });

  it('cuts values that are too deep and texts that are too long', () => {
    const deep: unknown = JSON.parse(`${'{"not":'.repeat(5_000)}{}${'}'.repeat(5_000)}`);
    expect(cleanDeep({ title: 'abcdef', allOf: [[['x']]], not: deep }, 4, 3)).toEqual({
      value: { title: 'abc…', allOf: [[[]]], not: { not: { not: {} } } },
      found: ['oversize'],
    });
  });

  it.each([undefined, null, true, 7, 'a'])('returns %j unchanged', (value) => {
    expect(cleanDeep(value, MANY, 10)).toEqual({ value, found: [] });
  });
});

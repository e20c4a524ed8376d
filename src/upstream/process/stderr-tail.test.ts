import { describe, expect, it } from 'vitest';
import { STDERR_TAIL_BYTES, StderrRing } from './stderr-tail.js';

function tailOf(chunks: readonly (string | Uint8Array)[], secrets: readonly string[] = []): StderrRing {
  const ring = new StderrRing(secrets);
  for (const chunk of chunks) ring.push(typeof chunk === 'string' ? Buffer.from(chunk) : chunk);
  return ring;
}

const KEY = '-----BEGIN KEY-----\nMIIEvgIBADANBgkqhkiG9w0B\nAQEFAASCBKgwggSkAgEAAoIB\n-----END KEY-----';

describe('StderrRing', () => {
  it.each([
    { title: 'nothing', written: [], expected: '' },
    { title: 'plain lines', written: ['one\n', 'two\n'], expected: 'one\ntwo\n' },
    { title: 'a character in two chunks', written: [Buffer.from([0xc3]), Buffer.from([0xa9])], expected: 'é' },
    { title: 'bytes that are not UTF-8', written: [Buffer.from([0x61, 0xff, 0x62])], expected: 'a\ufffdb' },
    { title: 'colours', written: ['\x1b[1;31mred\x1b[0m \x1b[38:5:1mx\x1b[m'], expected: 'red x' },
    { title: 'a title and a link', written: ['\x1b]0;evil\x07a\x1b]8;;http://x\x1b\\b'], expected: 'ab' },
    { title: 'an unterminated title', written: ['\x1b]0;evil\nnext'], expected: '\nnext' },
    { title: 'a cursor that goes back', written: ['good\x1b[2K\x1b[1Gbad\x1bc\x1b7\x1b(B'], expected: 'goodbad' },
    { title: 'carriage returns', written: ['10%\r20%\r\ndone\n'], expected: '10%\n20%\ndone\n' },
    { title: 'control characters', written: ['a\0\b\x07\x7f\u009b31mb\tc'], expected: 'a31mb\tc' },
    { title: 'characters that change the text direction', written: ['a\u202eb\u2066c\ufeff'], expected: 'abc' },
    { title: 'an escape at the end', written: ['a\x1b'], expected: 'a' },
  ])('has $title', ({ written, expected }) => {
    expect(tailOf(written).text()).toBe(expected);
  });

  it.each([
    { title: 'as it is', written: ['key hunter2! and hunter2!'], expected: 'key [secret] and [secret]' },
    { title: 'in two chunks', written: ['key hunt', 'er2! end'], expected: 'key [secret] end' },
    { title: 'written in part', written: ['key hunte'], expected: 'key [secret]' },
    { title: 'with a colour in it', written: ['key hun\x1b[31mter2!'], expected: 'key [secret]' },
    { title: 'with a control in it', written: ['key hun\0ter2!'], expected: 'key [secret]' },
    { title: 'in an address', written: [`?k=${encodeURIComponent('a b&"c"')}`], expected: '?k=[secret]' },
    { title: 'in JSON', written: [JSON.stringify({ k: 'a b&"c"' })], expected: '{"k":"[secret]"}' },
    { title: 'in base64', written: [Buffer.from('hunter2!').toString('base64')], expected: '[secret]=' },
    { title: 'contained in another one', written: ['hunter2!-long'], expected: '[secret]' },
    { title: 'of several lines', written: [`x\n${KEY}\ny`], expected: 'x\n[secret]\ny' },
    { title: 'a line of one', written: ['at MIIEvgIBADANBgkqhkiG9w0B:'], expected: 'at [secret]:' },
    { title: 'with CRLF line ends', written: [KEY.replaceAll('\n', '\r\n')], expected: '[secret]' },
    { title: 'unless it is too short', written: ['a b c'], expected: 'a b c' },
    { title: 'of a well-known form', written: [`ghp_${'a'.repeat(36)}.`], expected: '[secret].' },
  ])('hides a secret $title', ({ written, expected }) => {
    expect(tailOf(written, ['', 'b', 'hunter2!', 'hunter2!-long', 'a b&"c"', KEY]).text()).toBe(expected);
  });

  it('keeps the last bytes, starting at a line', () => {
    const lines = Array.from({ length: 20_000 }, (_, n) => `line ${n}\n`);
    const ring = tailOf(lines);
    const all = lines.join('');
    const kept = all.slice(-STDERR_TAIL_BYTES);
    expect(ring.text()).toBe(kept.slice(kept.indexOf('\n') + 1));
    expect(ring.droppedBytes).toBe(all.length - STDERR_TAIL_BYTES);
  });

  it.each([1, 7, 1_000, STDERR_TAIL_BYTES - 1, STDERR_TAIL_BYTES, STDERR_TAIL_BYTES + 1, 3 * STDERR_TAIL_BYTES + 5])(
    'keeps the same text for chunks of %d bytes',
    (size) => {
      const all = Buffer.from(Array.from({ length: 30_000 }, (_, n) => `é${n}\n`).join(''));
      const pieces = Array.from({ length: Math.ceil(all.length / size) }, (_, n) =>
        all.subarray(n * size, (n + 1) * size),
      );
      const ring = tailOf(pieces);
      const kept = all.subarray(-STDERR_TAIL_BYTES).toString();
      expect(ring.text()).toBe(kept.slice(kept.indexOf('\n') + 1));
      expect(ring.droppedBytes).toBe(all.length - STDERR_TAIL_BYTES);
    },
  );

  it('shows part of a line if there is no other, and no partial character', () => {
    const ring = tailOf([`a${'é'.repeat(STDERR_TAIL_BYTES)}`, 'x']);
    expect(ring.text()).toBe(`${'é'.repeat(STDERR_TAIL_BYTES / 2 - 1)}x`);
  });

  it.each([1, 2, 3, 7, 20])('hides the rest of a secret that has lost %d characters', (lost) => {
    const secret = 'abcdefghijklmnopqrstuvwxyz';
    const ring = tailOf([secret, '.'.repeat(STDERR_TAIL_BYTES - secret.length + lost)], [secret]);
    expect(ring.text()).toBe(`[secret]${'.'.repeat(STDERR_TAIL_BYTES - secret.length + lost)}`);
  });

  it('returns the last lines, newest last', () => {
    const ring = tailOf(['one\ntwo\n\nthree\n\n']);
    expect([ring.lastLines(2), ring.lastLines(9), ring.lastLines(0), tailOf([]).lastLines(3)]).toEqual([
      ['', 'three'],
      ['one', 'two', '', 'three'],
      [],
      [],
    ]);
  });

  it('calls a listener once for many changes, until it is removed', async () => {
    const ring = new StderrRing();
    let calls = 0;
    const told = () => new Promise((resolve) => setTimeout(resolve, 300));
    const stop = ring.onChange(() => {
      calls += 1;
    });
    for (let n = 0; n < 1_000; n += 1) ring.push(Buffer.from('x'));
    await told();
    expect(calls).toBe(1);
    ring.push(Buffer.from('x'));
    await told();
    expect(calls).toBe(2);
    stop();
    ring.push(Buffer.from('x'));
    await told();
    expect(calls).toBe(2);
  });

  it.each([
    { title: 'unterminated escapes', text: '\x1b]'.repeat(STDERR_TAIL_BYTES / 2) },
    { title: 'unterminated parameters', text: `\x1b[${'1;'.repeat(STDERR_TAIL_BYTES / 2)}` },
    { title: 'text that is almost a secret', text: `${'a'.repeat(STDERR_TAIL_BYTES - 1)}b` },
    { title: 'text that is almost a token', text: 'eyJ'.repeat(STDERR_TAIL_BYTES / 3) },
    { title: 'blanks after a word', text: `bearer ${' '.repeat(STDERR_TAIL_BYTES - 8)}` },
    { title: 'names of secrets', text: '${KEY:-'.repeat(STDERR_TAIL_BYTES / 7) },
  ])('takes linear time for $title', ({ text }) => {
    const ring = tailOf([text, text], [`${'a'.repeat(5_000)}c`]);
    const start = performance.now();
    ring.text();
    expect(performance.now() - start).toBeLessThan(2_000);
  });
});

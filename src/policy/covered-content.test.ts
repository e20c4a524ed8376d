import { describe, expect, it } from 'vitest';
import { hmac256 } from '../base/index.js';
import {
  type Content,
  type CoveredFile,
  contentChanges,
  contentHash,
  isCovered,
  MAX_RECORDED_LINES,
  parseContentRecord,
  recordContent,
} from './covered-content.js';

const hmac = (text: string) => hmac256('key', text);

function file(text: string, more: Partial<CoveredFile> = {}): CoveredFile {
  return {
    path: '/p/a.py',
    target: '/p/a.py',
    role: 'file',
    extent: 'whole',
    digest: `d:${text}`,
    text,
    isScript: true,
    ...more,
  };
}

const content = (...files: CoveredFile[]): Content => ({
  files,
  loaders: [],
  hasCode: false,
  hash: contentHash(files),
  isClear: true,
});

/** The reported changes between two texts. */
function changes(before: CoveredFile, now: CoveredFile): string[] {
  return contentChanges(recordContent(content(before), undefined, hmac), content(now), hmac);
}

describe('contentChanges', () => {
  it.each([
    { title: 'nothing', before: 'a\nb', now: 'a\nb', said: [] },
    {
      title: 'a line in the middle',
      before: 'a\nb\nc',
      now: 'a\nX\nc',
      said: ['  2: X', '  lines removed or replaced: 1'],
    },
    { title: 'an added line', before: 'a\nb', now: 'a\nnew\nb', said: ['  2: new'] },
    { title: 'a removed line', before: 'a\nb\nc', now: 'a\nc', said: ['  lines removed or replaced: 1'] },
    { title: 'a duplicated line', before: 'a\nb', now: 'a\na\nb', said: ['  2: a'] },
    { title: 'reordered lines', before: 'a\nb\nc', now: 'b\na\nc', said: ['  lines 1 to 2 are in another order'] },
    {
      title: 'line ends',
      before: 'a\nb',
      now: 'a\r\nb',
      said: ['  1: a\r', '  lines removed or replaced: 1'],
    },
    {
      title: 'a token',
      before: 'a',
      now: "t = 'ghp_abcdef'",
      said: ["  1: t = '[secret]'", '  lines removed or replaced: 1'],
    },
  ])('reports $title', ({ before, now, said }) => {
    expect(changes(file(before), file(now))).toEqual(said.length === 0 ? [] : ['/p/a.py changed:', ...said]);
  });

  it('shows no line of a file that is not a script', () => {
    expect(changes(file('a=1', { isScript: false }), file('a=canary', { isScript: false })).join()).not.toContain(
      'canary',
    );
  });

  it.each([
    { title: 'a binary file', more: { text: undefined } },
    { title: 'a long file', more: { text: 'x\n'.repeat(MAX_RECORDED_LINES + 1) } },
  ])('only reports that $title changed', ({ more: { text } }) => {
    const { text: _, ...rest } = file('b');
    const now: CoveredFile = { ...rest, ...(text !== undefined && { text }) };
    expect(changes(file('a'), now)).toEqual(['/p/a.py changed']);
  });

  it('shows at most 40 lines, and at most 200 characters of each', () => {
    const lines = Array.from({ length: 50 }, (_, n) => `${n}${'x'.repeat(300)}`);
    const said = changes(file(''), file(lines.join('\n')));
    expect(said).toHaveLength(43);
    expect(Math.max(...said.map((line) => line.length))).toBeLessThan(240);
    expect(said).toContain('  and 10 more lines changed or added');
  });

  it('takes time proportional to the number of lines', () => {
    const lines = (seed: number) =>
      Array.from({ length: MAX_RECORDED_LINES }, (_, n) => `${(n * seed) % 97}`).join('\n');
    const started = performance.now();
    changes(file(lines(31)), file(lines(57)));
    expect(performance.now() - started).toBeLessThan(1_000);
  });
});

describe('a record', () => {
  const stored = recordContent(
    content(file('secret line\nb'), file('', { path: '/p/.env', variables: { K: 'canary' } })),
    undefined,
    hmac,
  );

  it('contains no content and survives serialization', () => {
    const text = JSON.stringify(stored);
    expect(text).not.toMatch(/secret|canary/);
    expect(parseContentRecord(JSON.parse(text))).toEqual(stored);
  });

  it.each([null, 7, {}, { seal: 'x' }, { seal: 'x', files: {} }, { seal: 'x', files: { a: 1 }, earlier: [] }])(
    'is rejected for %j',
    (value) => {
      expect(parseContentRecord(value)).toBeUndefined();
    },
  );

  it('covers the approved content and up to 15 earlier ones', () => {
    const texts = Array.from({ length: 20 }, (_, n) => content(file(`${n}`)));
    const last = texts.reduce<ReturnType<typeof recordContent>>(
      (before, one) => recordContent(one, before, hmac),
      undefined,
    );
    expect(texts.map((one) => isCovered(last, one, hmac))).toEqual(texts.map((_, n) => n >= 4));
    expect(isCovered(last, content(file('other')), hmac)).toBe(false);
  });

  it.each<{ title: string; more: Partial<CoveredFile> }>([
    { title: 'path', more: { path: '/p/b.py' } },
    { title: 'link target', more: { target: '/q/a.py' } },
    { title: 'role', more: { role: 'program' } },
    { title: 'content', more: { digest: 'other' } },
    { title: 'extent', more: { extent: 'ends' } },
  ])('does not cover a file with another $title', ({ more }) => {
    const record = recordContent(content(file('a')), undefined, hmac);
    expect(isCovered(record, content(file('a', more)), hmac)).toBe(false);
  });
});

import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { isRepeatable } from '../../src/bridge/pending-requests.js';
import { metaTools } from '../../src/serve/surfaces/meta-tools.js';

const src = join(dirname(fileURLToPath(import.meta.url)), '../..', 'src');

it.each(metaTools([], true).map((tool) => ({ name: tool.name, isReadOnly: tool.annotations?.readOnlyHint === true })))(
  'the bridge repeats calls of $name: $isReadOnly, as its readOnlyHint says',
  ({ name, isReadOnly }) => {
    expect(isRepeatable('tools/call', { name }, true)).toBe(isReadOnly);
    // With --expose, a tool of this name belongs to a server.
    expect(isRepeatable('tools/call', { name }, false)).toBe(false);
  },
);

it('the bridge repeats no call of an unknown tool', () => {
  expect(isRepeatable('tools/call', { name: 'delete_everything' }, true)).toBe(false);
  expect(isRepeatable('tools/call', {}, true)).toBe(false);
});

it('the size of an envelope is defined once', () => {
  const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
  const defining = files.filter((name) => /const ENVELOPE_BYTES\b/.test(readFileSync(join(src, name), 'utf8')));
  expect(defining).toEqual([join('rpc', 'stream-channel.ts')]);
});

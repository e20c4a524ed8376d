import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { isRepeatable } from '../../src/bridge/pending-requests.js';
import type { Gateway } from '../../src/gateway/index.js';
import { chooseSurface } from '../../src/serve/surfaces/choose-surface.js';
import { MetaToolSurface } from '../../src/serve/surfaces/meta-surface.js';
import { metaTools } from '../../src/serve/surfaces/meta-tools.js';

const src = join(dirname(fileURLToPath(import.meta.url)), '../..', 'src');

it.each(metaTools([], true).map((tool) => ({ tool: tool.name, isReadOnly: tool.annotations?.readOnlyHint === true })))(
  'the bridge repeats calls of $tool: $isReadOnly, as in its readOnlyHint',
  ({ tool, isReadOnly }) => {
    const { readOnlyTools } = new MetaToolSurface({} as Gateway);
    expect(isRepeatable({ method: 'tools/call', tool }, new Set(readOnlyTools))).toBe(isReadOnly);
  },
);

it.each(['all', 'one'])(
  'with --expose %s a tool of the same name belongs to a server and is not repeated',
  (expose) => {
    const gateway = { view: { servers: [{ name: 'one', admitted: {} }] } } as unknown as Gateway;
    expect(chooseSurface(gateway, expose).readOnlyTools).toBeUndefined();
  },
);

it('the bridge repeats no call of an unknown tool', () => {
  const readOnlyTools = new Set(['search_tools']);
  expect(isRepeatable({ method: 'tools/call', tool: 'delete_everything' }, readOnlyTools)).toBe(false);
  expect(isRepeatable({ method: 'tools/call' }, readOnlyTools)).toBe(false);
});

it('the size of an envelope is defined once', () => {
  const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
  const defining = files.filter((name) => /const ENVELOPE_BYTES\b/.test(readFileSync(join(src, name), 'utf8')));
  expect(defining).toEqual([join('rpc', 'stream-channel.ts')]);
});

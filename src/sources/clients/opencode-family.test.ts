import { describe, expect, it } from 'vitest';
import { diskFiles } from '../../base/index.js';
import type { Host } from '../../model/host.js';
import { fillBareReferences } from './opencode-family.js';

const host: Host = {
  platform: 'linux',
  home: '/h',
  cwd: '/p',
  repository: undefined,
  env: { ON: 'true', N: '7' },
  root: '/nowhere',
  files: { ...diskFiles, read: (path) => (path === '/c/limit' ? { kind: 'read', text: '9\n' } : { kind: 'absent' }) },
  self: undefined,
};

describe('fillBareReferences', () => {
  it.each([
    {
      title: 'a flag and a number',
      text: '{"a":{env:ON},"b":{ env: N },"c":{env: N }}',
      filled: '{"a":true,"b":{ env: N },"c":7}',
    },
    { title: 'a file beside the source', text: '{"a":{file:limit}}', filled: '{"a":9}' },
    { title: 'nothing for what is unset', text: '[{env:UNSET},{file:none}]', filled: '[,]' },
    { title: 'no string', text: '"{env:ON}"{env:N}', filled: '"{env:ON}"7' },
    {
      title: 'no string with quotes in it',
      text: String.raw`"a\"{env:ON}\\"{env:N}`,
      filled: String.raw`"a\"{env:ON}\\"7`,
    },
    { title: 'no comment', text: '// {env:ON} "\n/* {env:ON} " */{env:N}', filled: '// {env:ON} "\n/* {env:ON} " */7' },
    { title: 'nothing in a string without end', text: '{env:N}"{env:ON}', filled: '7"{env:ON}' },
    { title: 'nothing in a comment without end', text: '{env:N}/*{env:ON}', filled: '7/*{env:ON}' },
    { title: 'nothing for a reference without end', text: '{env:N}{env:ON', filled: '7{env:ON' },
  ])('fills in $title', ({ text, filled }) => {
    expect(fillBareReferences(text, host, '/c/opencode.json')).toBe(filled);
  });

  it.each([
    { title: 'a string full of escapes', text: `"${'\\n'.repeat(1_000_000)}"` },
    { title: 'comments that are never closed', text: '/*'.repeat(1_000_000) },
    { title: 'quotes without end', text: '\\"'.repeat(1_000_001) },
    { title: 'references without end', text: '{env:'.repeat(1_000_000) },
  ])('gets through $title', ({ text }) => {
    expect(fillBareReferences(`{env:N}${text}`, host, '/c/opencode.json')).toBe(`7${text}`);
  });
});

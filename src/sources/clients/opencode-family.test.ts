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
      title: 'a boolean and a number',
      text: '{"a":{env:ON},"b":{ env: N },"c":{env: N }}',
      filled: '{"a":true,"b":{ env: N },"c":7}',
    },
    { title: 'a file beside the source', text: '{"a":{file:limit}}', filled: '{"a":9}' },
    { title: 'nothing for an unset variable or missing file', text: '[{env:UNSET},{file:none}]', filled: '[,]' },
    { title: 'no reference inside a string', text: '"{env:ON}"{env:N}', filled: '"{env:ON}"7' },
    {
      title: 'no reference inside a string with escaped quotes',
      text: String.raw`"a\"{env:ON}\\"{env:N}`,
      filled: String.raw`"a\"{env:ON}\\"7`,
    },
    {
      title: 'no reference inside a comment',
      text: '// {env:ON} "\n/* {env:ON} " */{env:N}',
      filled: '// {env:ON} "\n/* {env:ON} " */7',
    },
    { title: 'nothing in an unclosed string', text: '{env:N}"{env:ON}', filled: '7"{env:ON}' },
    { title: 'nothing in an unclosed comment', text: '{env:N}/*{env:ON}', filled: '7/*{env:ON}' },
    { title: 'nothing for an unclosed reference', text: '{env:N}{env:ON', filled: '7{env:ON' },
  ])('fills in $title', ({ text, filled }) => {
    expect(fillBareReferences(text, host, '/c/opencode.json')).toBe(filled);
  });

  it.each([
    { title: 'a string full of escapes', text: `"${'\\n'.repeat(1_000_000)}"` },
    { title: 'unclosed comments', text: '/*'.repeat(1_000_000) },
    { title: 'unclosed quotes', text: '\\"'.repeat(1_000_001) },
    { title: 'unclosed references', text: '{env:'.repeat(1_000_000) },
  ])('gets through $title', ({ text }) => {
    expect(fillBareReferences(`{env:N}${text}`, host, '/c/opencode.json')).toBe(`7${text}`);
  });
});

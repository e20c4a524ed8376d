import { describe, expect, it } from 'vitest';
import type { Place } from './client.js';
import { startedBy } from './command-line.js';
import type { Draft } from './dialect.js';
import { claudeDialect } from './dialects/claude-dialects.js';
import { braced, expansion, none } from './expansion.js';
import { under } from './find-entries.js';
import { literalReferences } from './literal-references.js';

const PLACE: Place = {
  ...{ scope: 'user', path: '~/MCPs/*.json', format: 'json', find: under('mcpServers'), precedence: 0 },
  ...{ dialect: claudeDialect, expansion: none },
};
const draft = (fields: Partial<Draft>): Draft => ({ transport: 'stdio', enabled: true, problems: [], ...fields });
const saidOf = (fields: Partial<Draft>, place: Partial<Place> = {}) => {
  const { command, args = [] } = fields;
  const started = command === undefined ? [] : startedBy(command, args);
  return literalReferences(draft(fields), 'mcps-dir', { ...PLACE, ...place }, started);
};

describe('literalReferences', () => {
  it('names the reference, the reason and a file that expands references', () => {
    expect(saidOf({ command: 'node', env: { TOKEN: '${TOK}' } })).toEqual({
      code: 'reference-not-expanded',
      severity: 'warning',
      message: '${TOK} is not expanded, because files of mcps-dir do not support references',
      hint: 'move the entry to a file that supports references, such as .mcp.json of the project, or add it with `portolan add`',
    });
  });

  it.each([
    { title: 'a command', fields: { command: '${BIN}/server' }, what: '${BIN} is' },
    { title: 'an argument', fields: { command: 'node', args: ['--key=${KEY}'] }, what: '${KEY} is' },
    { title: 'a directory', fields: { command: 'node', cwd: '${HOME}/x' }, what: '${HOME} is' },
    { title: 'a URL', fields: { url: 'https://${HOST}/mcp' }, what: '${HOST} is' },
    { title: 'a header', fields: { url: 'https://a', headers: { A: 'Bearer ${T}' } }, what: '${T} is' },
    { title: 'the syntax of editors', fields: { command: 'a', env: { A: '${env:T}' } }, what: '${T} is' },
    {
      title: 'a default, which is not shown',
      fields: { command: 'a', env: { A: '${T:-ghp_secret}' } },
      what: '${T} is',
    },
    {
      title: 'a repeated name and two names',
      fields: { command: 'a', env: { A: '${T}${T}', B: '${U}' } },
      what: '${T}, ${U} are',
    },
    {
      title: 'many',
      fields: { command: 'a', args: ['${A}${B}${C}${D}${E}'] },
      what: '${A}, ${B}, ${C}, 2 more are',
    },
    {
      title: 'the variables of a shell that runs a script file',
      fields: { command: 'sh', args: ['-c', 'exec server ${HOME}'], env: { A: '${T}' } },
      what: '${T} is',
    },
  ])('finds $title', ({ fields, what }) => {
    expect(saidOf(fields)?.message).toBe(`${what} not expanded, because files of mcps-dir do not support references`);
  });

  it.each<{ title: string; fields: Partial<Draft>; place?: Partial<Place> }>([
    { title: 'no reference', fields: { command: 'node', args: ['$5', '{a}', '${}', '$HOME', '${1}', '%A%'] } },
    { title: 'the script of a shell', fields: { command: '/bin/bash', args: ['-c', 'exec server ${HOME}'] } },
    { title: 'a shell in a container', fields: { command: 'docker', args: ['run', 'image', 'sh', '-c', 'a ${B}'] } },
    { title: 'the script of PowerShell', fields: { command: 'pwsh.exe', args: ['-Command', 'server ${env:KEY}'] } },
    {
      title: 'a header that mcp-remote fills in',
      fields: { command: 'npx', args: ['-y', 'mcp-remote', 'https://a', '--header', 'A: ${T}'], env: { T: 't' } },
    },
    {
      title: 'a place that expands references',
      fields: { command: '${BIN}' },
      place: { expansion: expansion([braced]) },
    },
    { title: "another client's file", fields: { command: '${BIN}' }, place: { borrowed: true } },
    {
      title: 'an entry from the command line',
      fields: { command: '${BIN}' },
      place: { given: { source: 'a', text: '' } },
    },
    { title: 'an entry that is never started', fields: { command: '${BIN}', state: 'inventory-only' } },
    {
      title: 'a place whose entries are never started',
      fields: { command: '${BIN}' },
      place: { state: 'inventory-only' },
    },
  ])('does not report $title', ({ fields, place }) => {
    expect(saidOf(fields, place)).toBeUndefined();
  });
});

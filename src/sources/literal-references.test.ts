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
  it('says what stays, why, and where it would not', () => {
    expect(saidOf({ command: 'node', env: { TOKEN: '${TOK}' } })).toEqual({
      code: 'reference-not-expanded',
      severity: 'warning',
      message: '${TOK} stays as it is written, because nothing is replaced in files of mcps-dir',
      hint: 'move the entry to a file in which references count, such as .mcp.json of the project or what `portolan add` writes',
    });
  });

  it.each([
    { title: 'a command', fields: { command: '${BIN}/server' }, what: '${BIN} stays as it is' },
    { title: 'an argument', fields: { command: 'node', args: ['--key=${KEY}'] }, what: '${KEY} stays as it is' },
    { title: 'a folder', fields: { command: 'node', cwd: '${HOME}/x' }, what: '${HOME} stays as it is' },
    { title: 'an address', fields: { url: 'https://${HOST}/mcp' }, what: '${HOST} stays as it is' },
    { title: 'a header', fields: { url: 'https://a', headers: { A: 'Bearer ${T}' } }, what: '${T} stays as it is' },
    { title: 'the spelling of editors', fields: { command: 'a', env: { A: '${env:T}' } }, what: '${T} stays as it is' },
    {
      title: 'a default, which it does not repeat',
      fields: { command: 'a', env: { A: '${T:-ghp_secret}' } },
      what: '${T} stays as it is',
    },
    {
      title: 'one name twice and two names',
      fields: { command: 'a', env: { A: '${T}${T}', B: '${U}' } },
      what: '${T}, ${U} stay as they are',
    },
    {
      title: 'many',
      fields: { command: 'a', args: ['${A}${B}${C}${D}${E}'] },
      what: '${A}, ${B}, ${C}, 2 more stay as they are',
    },
    {
      title: 'the variables of a shell whose script is its own',
      fields: { command: 'sh', args: ['-c', 'exec server ${HOME}'], env: { A: '${T}' } },
      what: '${T} stays as it is',
    },
  ])('finds $title', ({ fields, what }) => {
    expect(saidOf(fields)?.message).toBe(`${what} written, because nothing is replaced in files of mcps-dir`);
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
      title: 'a place that replaces',
      fields: { command: '${BIN}' },
      place: { expansion: expansion([braced]) },
    },
    { title: "another client's file", fields: { command: '${BIN}' }, place: { borrowed: true } },
    { title: 'what stands in no file', fields: { command: '${BIN}' }, place: { given: { source: 'a', text: '' } } },
    { title: 'what nobody starts', fields: { command: '${BIN}', state: 'inventory-only' } },
    { title: 'a place where nothing is started', fields: { command: '${BIN}' }, place: { state: 'inventory-only' } },
  ])('says nothing of $title', ({ fields, place }) => {
    expect(saidOf(fields, place)).toBeUndefined();
  });
});

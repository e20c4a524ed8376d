import { describe, expect, it } from 'vitest';
import { definition } from '../../tests/fakes/definition.js';
import { NO_GATEWAY } from '../../tests/fakes/no-gateway.js';
import type { Discovery } from '../discovery/index.js';
import { type Program, run } from './run-command.js';
import type { Io } from './runtime/command.js';

const FILES = definition({ name: 'files', client: 'cursor', source: '/h/.cursor/mcp.json', line: 3 });

const scan = {
  definitions: [],
  servers: [
    {
      name: 'files',
      alias: 'files',
      definition: FILES,
      duplicates: [FILES],
      shadowed: [],
      verdict: { kind: 'allowed' },
    },
  ],
  problems: [{ code: 'parse-error', severity: 'error', message: 'm', hint: 'h', source: '/h/x.json' }],
  host: { platform: 'linux', home: '/h', cwd: '/h', env: {}, files: { status: () => ({ kind: 'file', mode: 0o755 }) } },
  pathReadings: [],
  exclusive: [],
  ignored: [],
  settings: { settings: { enabled: true } },
};

function terminal(colour: boolean): Io & { lines: string[] } {
  const lines: string[] = [];
  return { lines, colour, home: '/h', out: (line) => lines.push(line), err: (line) => lines.push(line) };
}

const program: Program = {
  ...NO_GATEWAY,
  discover: async () => scan as unknown as Discovery,
  inspectSettings: () => Promise.reject(new Error('this test reads no settings')),
  version: '1.2.3',
  interactive: true,
};

describe('on a terminal', () => {
  it('prints the servers and the next step without arguments', async () => {
    const io = terminal(false);
    expect(await run([], io, program)).toBe(0);
    expect(io.lines).toEqual([
      'NAME   STATE  TRANSPORT  CLIENTS',
      'files  ready  stdio      cursor',
      '',
      '1 server, 1 ready',
      '1 error: portolan doctor',
      'Next: portolan list --all · portolan doctor · portolan help',
    ]);
  });

  it('uses colours if they are enabled, and prints the sources of a server with --all', async () => {
    const io = terminal(true);
    await run(['list', '--all'], io, program);
    expect(io.lines[1]).toContain('\u001b[32mready');
    expect(io.lines[1]).toContain('~/.cursor/mcp.json:3');
  });
});

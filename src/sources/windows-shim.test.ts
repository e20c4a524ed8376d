import { describe, expect, it } from 'vitest';
import { windowsShim } from './windows-shim.js';

/** The corrected entry in the hint, if there is a warning. */
function corrected(command: string, args: readonly string[] = [], expanded = command): unknown {
  const problem = windowsShim(expanded, { command, args });
  return problem && JSON.parse(problem.hint.replace(/^write /, ''));
}

describe('windowsShim', () => {
  it.each([
    { command: 'npx', args: ['-y', 'server'] },
    { command: 'npx.cmd', args: ['-y', 'server'] },
    { command: 'NPX', args: [] },
    { command: 'pnpm', args: ['dlx', 'server'] },
    { command: 'yarn', args: ['dlx', 'server'] },
    { command: 'C:\\Program Files\\nodejs\\npx.cmd', args: ['server'] },
    { command: 'C:\\Program Files\\nodejs\\npx', args: ['server'] },
    { command: 'C:/Users/me/AppData/Roaming/npm/server.cmd', args: [] },
    { command: 'run.bat', args: ['a b'] },
  ])('puts cmd /c before $command', ({ command, args }) => {
    expect(corrected(command, args)).toEqual({ command: 'cmd', args: ['/c', command, ...args] });
  });

  it.each([
    { command: 'cmd', args: ['/c', 'npx', 'server'] },
    { command: 'C:\\Windows\\System32\\cmd.exe', args: ['/c', 'npx', 'server'] },
    { command: 'powershell', args: ['-Command', 'npx server'] },
    { command: 'node', args: ['npx.cmd'] },
    { command: 'node.exe', args: [] },
    { command: 'uvx', args: ['server'] },
    { command: 'bunx', args: ['server'] },
    { command: 'docker', args: ['run', 'npx'] },
    { command: 'C:\\npx\\server.exe', args: [] },
  ])('does not report $command $args', ({ command, args }) => {
    expect(windowsShim(command, { command, args })).toBeUndefined();
  });

  it('splits a whole command line', () => {
    expect(corrected('npx -y server "two words"')).toEqual({
      command: 'cmd',
      args: ['/c', 'npx', '-y', 'server', 'two words'],
    });
  });

  it('shows the text of the file, without secrets and variable values', () => {
    const args = ['server', '--api-key', 'hunter2', '--token=${TOKEN}', '--pat', 'ghp_0123456789', '${HOME}'];
    expect(corrected('${RUNNER}', args, 'npx')).toEqual({
      command: 'cmd',
      args: ['/c', '${RUNNER}', 'server', '--api-key', '[secret]', '--token=${TOKEN}', '--pat', '[secret]', '${HOME}'],
    });
  });

  it('names the program and the correction', () => {
    expect(windowsShim('npx', { command: 'npx', args: [] })).toEqual({
      code: 'windows-npx',
      severity: 'warning',
      message: 'Windows cannot start npx without cmd /c',
      hint: 'write {"command":"cmd","args":["/c","npx"]}',
    });
  });
});

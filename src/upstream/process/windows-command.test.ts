import { describe, expect, it } from 'vitest';
import { windowsCommand } from './windows-command.js';

const FILES = new Set(
  [
    'C:\\node\\npx.cmd',
    'C:\\node\\node.exe',
    'C:\\tools\\npx.exe',
    'C:\\tools\\old.bat',
    'C:\\work\\npx.exe',
    'C:\\work\\bin\\server.cmd',
    'C:\\100%\\odd.cmd',
  ].map((path) => path.toLowerCase()),
);
const isFile = (path: string): boolean => FILES.has(path.toLowerCase());
const env = {
  Path: 'C:\\node;;.;C:\\tools;C:\\100%',
  PathExt: '.EXE;.BAT;.CMD',
  SystemRoot: 'D:\\Windows',
  ComSpec: 'evil.exe',
};

const direct = (command: string, ...args: string[]) => ({ command, args, verbatim: false });
const interpreted = (line: string) => ({
  command: 'D:\\Windows\\System32\\cmd.exe',
  args: ['/d', '/v:off', '/s', '/c', `"${line}"`],
  verbatim: true,
});

describe('windowsCommand', () => {
  it.each([
    {
      title: 'a program in PATH',
      command: 'node',
      args: ['a b', '%PATH%', '"'],
      expected: direct('C:\\node\\node.EXE', 'a b', '%PATH%', '"'),
    },
    { title: 'a program with its extension', command: 'node.exe', args: [], expected: direct('C:\\node\\node.exe') },
    {
      title: 'a shim before a program later in PATH',
      command: 'npx',
      args: ['-y'],
      expected: interpreted('"C:\\node\\npx.CMD" "-y"'),
    },
    { title: 'an old batch file', command: 'old', args: [], expected: interpreted('"C:\\tools\\old.BAT"') },
    {
      title: 'a path relative to the folder',
      command: '.\\bin\\server',
      args: [],
      expected: interpreted('"C:\\work\\bin\\server.CMD"'),
    },
    { title: 'an absolute path', command: 'C:/tools/npx.exe', args: [], expected: direct('C:\\tools\\npx.exe') },
    {
      title: 'an unknown program, for the system to refuse',
      command: 'gone',
      args: ['x'],
      expected: direct('gone', 'x'),
    },
    { title: 'an empty argument', command: 'npx', args: [''], expected: interpreted('"C:\\node\\npx.CMD" ""') },
    {
      title: 'special characters of cmd.exe',
      command: 'npx',
      args: ['a&b|c>d<e^f(g)!h!'],
      expected: interpreted('"C:\\node\\npx.CMD" "a&b|c>d<e^f(g)!h!"'),
    },
    { title: 'a quote', command: 'npx', args: ['{"a":1}'], expected: interpreted('"C:\\node\\npx.CMD" "{""a"":1}"') },
    {
      title: 'backslashes before a quote',
      command: 'npx',
      args: ['a\\\\"b'],
      expected: interpreted('"C:\\node\\npx.CMD" "a\\\\\\\\""b"'),
    },
    {
      title: 'backslashes at the end',
      command: 'npx',
      args: ['C:\\a b\\'],
      expected: interpreted('"C:\\node\\npx.CMD" "C:\\a b\\\\"'),
    },
    { title: 'a variable', command: 'npx', args: ['%PATH%'], expected: undefined },
    { title: 'a line break', command: 'npx', args: ['a\nb'], expected: undefined },
    { title: 'a variable in the path', command: 'odd', args: [], expected: undefined },
  ])('handles $title', ({ command, args, expected }) => {
    expect(windowsCommand(command, args, env, 'C:\\work', isFile)).toEqual(expected);
  });
});

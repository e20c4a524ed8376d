import { describe, expect, it } from 'vitest';
import { childEnvironment } from './child-environment.js';

const from = {
  PATH: '/bin',
  HOME: '/home/ada',
  LANG: 'C.UTF-8',
  https_proxy: 'http://proxy',
  XDG_CONFIG_HOME: '/x',
  NODE_EXTRA_CA_CERTS: '/ca.pem',
  AWS_SECRET_ACCESS_KEY: 'canary',
  AWS_REGION: 'north',
  NODE_OPTIONS: '--require evil',
  LD_PRELOAD: 'evil.so',
  XDG_SECRET: 'canary',
  SHELL: '() { :; }; evil',
  TERM: undefined,
};
const always = {
  PATH: '/bin',
  HOME: '/home/ada',
  LANG: 'C.UTF-8',
  https_proxy: 'http://proxy',
  XDG_CONFIG_HOME: '/x',
  NODE_EXTRA_CA_CERTS: '/ca.pem',
};

describe('childEnvironment', () => {
  it.each([
    { title: 'the allow-list alone', own: {}, pass: [], expected: always },
    {
      title: 'variables of the entry over the allow-list',
      own: { PATH: '/own', KEY: 'k' },
      pass: [],
      expected: { ...always, PATH: '/own', KEY: 'k' },
    },
    {
      title: 'a variable named in passEnv',
      own: {},
      pass: ['AWS_REGION'],
      expected: { ...always, AWS_REGION: 'north' },
    },
    {
      title: 'variables that match a pattern in passEnv',
      own: { AWS_REGION: 'south' },
      pass: ['AWS_*'],
      expected: { ...always, AWS_REGION: 'south', AWS_SECRET_ACCESS_KEY: 'canary' },
    },
    { title: 'no variable whose name differs in case', own: {}, pass: ['aws_*'], expected: always },
    { title: 'an empty value of the entry', own: { HOME: '' }, pass: [], expected: { ...always, HOME: '' } },
    {
      title: 'a shell function written in the entry',
      own: { F: '() { :; }' },
      pass: [],
      expected: { ...always, F: '() { :; }' },
    },
  ])('gives $title', { tags: 'S4' }, ({ own, pass, expected }) => {
    expect(childEnvironment(from, own, pass, 'linux')).toEqual(expected);
  });

  it('passes on none of fifty secrets', { tags: 'S4' }, () => {
    const secrets = Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`SECRET_${n}`, `canary-${n}`]));
    expect(childEnvironment({ ...secrets, PATH: '/bin' }, {}, [], 'darwin')).toEqual({ PATH: '/bin' });
  });

  it('compares names on Windows without case and passes each variable once', () => {
    const windows = {
      Path: 'C:\\bin',
      SystemRoot: 'C:\\Windows',
      AppData: 'C:\\a',
      'ProgramFiles(x86)': 'C:\\p',
      Token: 't',
    };
    expect(childEnvironment(windows, { PATH: 'D:\\own' }, ['TOK*'], 'win32')).toEqual({
      PATH: 'D:\\own',
      SystemRoot: 'C:\\Windows',
      AppData: 'C:\\a',
      'ProgramFiles(x86)': 'C:\\p',
      Token: 't',
    });
    expect(childEnvironment(windows, {}, [], 'linux')).toEqual({});
  });

  it('treats a variable called __proto__ like any other', () => {
    const own: Record<string, string> = JSON.parse('{"__proto__":"x"}');
    expect(Object.entries(childEnvironment({}, own, [], 'linux'))).toEqual([['__proto__', 'x']]);
  });
});

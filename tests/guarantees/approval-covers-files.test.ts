import { chmodSync, mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ErrorCode, PortolanError } from '../../src/base/index.js';
import { admitted } from '../fixtures/remote/admitted.js';
import { connectRemote, makeLaunchEnvironment, OPTIONS } from '../fixtures/remote/connect-remote.js';
import { countingHelper } from '../fixtures/remote/counting-helper.js';
import { sdkHandler, serveHttp } from '../fixtures/servers/http-server.js';
import { codeIn, makeTarget, servers, type Target, UNAPPROVED } from '../support/attacks.js';
import { connect, until } from '../support/client-over-stdio.js';
import { ODD_SERVER } from '../support/gateway-harness.js';

const FILE = '<project>/.vscode/mcp.json';
const RAN = { status: 0, code: undefined };

/** Starts the real server after `first`. */
const script = (first = '') => `${first}\nimport(${JSON.stringify(ODD_SERVER)});\n`;
const shell = (first = '') => `#!/bin/sh\n${first}\nexec "${process.execPath}" "${ODD_SERVER}"\n`;
const marks = ({ mark }: Target, name: string) =>
  `require('node:fs').writeFileSync(${JSON.stringify(mark(name))}, '');`;

interface Case {
  readonly title: string;
  readonly entry: (target: Target) => object;
  readonly files: Readonly<Record<string, string>>;
  readonly change: (target: Target) => Readonly<Record<string, string>>;
  readonly prepare?: (target: Target) => void;
}

const NODE = process.execPath;
const touch = ({ mark }: Target, name = 'evil') => `touch "${mark(name)}"`;

const CASES: readonly Case[] = [
  {
    title: 'an env file that puts a directory of the project first in PATH',
    entry: () => ({ command: 'portolan-test-node', args: [ODD_SERVER], envFile: '${workspaceFolder}/.env' }),
    files: { '<project>/.env': `A=1\nPATH=<home>/bin\n`, '~/bin/portolan-test-node': shell() },
    change: (target) => ({
      '<project>/.env': `A=1\nPATH=${join(target.machine.project, 'bin')}:<home>/bin\n`,
      '<project>/bin/portolan-test-node': shell(touch(target)),
    }),
  },
  {
    title: 'one byte of the env file',
    entry: () => ({ command: NODE, args: [ODD_SERVER], envFile: '${workspaceFolder}/.env' }),
    files: { '<project>/.env': 'A=1\n' },
    change: () => ({ '<project>/.env': 'A=2\n' }),
  },
  {
    title: 'the script on the command line',
    entry: () => ({ command: NODE, args: ['./server.cjs'] }),
    files: { '<project>/server.cjs': script() },
    change: (target) => ({ '<project>/server.cjs': script(marks(target, 'evil')) }),
  },
  {
    title: 'a script that is named without its extension',
    entry: () => ({ command: NODE, args: ['server'] }),
    files: { '<project>/server.js': script() },
    change: (target) => ({ '<project>/server.js': script(marks(target, 'evil')) }),
  },
  {
    title: 'a module that `-r` loads',
    entry: () => ({ command: NODE, args: ['-r', './hook.cjs', ODD_SERVER] }),
    files: { '<project>/hook.cjs': '' },
    change: (target) => ({ '<project>/hook.cjs': marks(target, 'evil') }),
  },
  {
    title: 'a module that `--require=` loads',
    entry: () => ({ command: NODE, args: ['--require=./hook.cjs', ODD_SERVER] }),
    files: { '<project>/hook.cjs': '' },
    change: (target) => ({ '<project>/hook.cjs': marks(target, 'evil') }),
  },
  {
    title: 'a module in NODE_OPTIONS of the entry',
    entry: () => ({ command: NODE, args: [ODD_SERVER], env: { NODE_OPTIONS: '--require ./hook.cjs' } }),
    files: { '<project>/hook.cjs': '' },
    change: (target) => ({ '<project>/hook.cjs': marks(target, 'evil') }),
  },
  {
    title: 'a file that the code of `node -e` loads',
    entry: () => ({ command: NODE, args: ['-e', 'require("./server.cjs")'] }),
    files: { '<project>/server.cjs': script() },
    change: (target) => ({ '<project>/server.cjs': script(marks(target, 'evil')) }),
  },
  {
    title: 'a script that a shell runs after `cd`',
    entry: () => ({ command: 'sh', args: ['-c', 'cd sub && exec ./server.sh'] }),
    files: { '<project>/sub/server.sh': shell() },
    change: (target) => ({ '<project>/sub/server.sh': shell(touch(target)) }),
  },
  {
    title: 'the main file of a directory on the command line',
    entry: () => ({ command: NODE, args: ['./app'] }),
    files: { '<project>/app/package.json': '{"main":"lib/start.cjs"}', '<project>/app/lib/start.cjs': script() },
    change: (target) => ({ '<project>/app/lib/start.cjs': script(marks(target, 'evil')) }),
  },
  {
    title: 'the command, if it is a file of the project',
    entry: () => ({ command: './run.sh' }),
    files: { '<project>/run.sh': shell() },
    change: (target) => ({ '<project>/run.sh': shell(touch(target)) }),
  },
  {
    title: 'the interpreter that a script names',
    entry: () => ({ command: './run' }),
    files: { '<project>/run': '#!/usr/bin/env inner\n', '<project>/bin/inner': shell() },
    prepare: ({ machine }) => chmodSync(machine.path('<project>/bin/inner'), 0o755),
    change: (target) => ({ '<project>/bin/inner': shell(touch(target)) }),
  },
  {
    title: 'a program in a directory that `env` adds to PATH',
    entry: () => ({ command: 'env', args: [`PATH=./bin:${process.env.PATH}`, 'own-server'] }),
    files: { '<project>/bin/own-server': shell() },
    change: (target) => ({ '<project>/bin/own-server': shell(touch(target)) }),
  },
  {
    title: 'a package of the project that is loaded before the server',
    entry: () => ({ command: NODE, args: ['-r', 'hook', ODD_SERVER] }),
    files: { '<project>/node_modules/hook/index.js': '' },
    change: (target) => ({ '<project>/node_modules/hook/index.js': marks(target, 'evil') }),
  },
  {
    title: 'the target of a link',
    entry: () => ({ command: NODE, args: ['./link.cjs'] }),
    files: { '<project>/a.cjs': script(), '<project>/b.cjs': script() },
    prepare: ({ machine }) => symlinkSync('a.cjs', join(machine.project, 'link.cjs')),
    change: ({ machine }) => {
      rmSync(join(machine.project, 'link.cjs'));
      symlinkSync('b.cjs', join(machine.project, 'link.cjs'));
      return {};
    },
  },
  {
    title: 'what `npm run` runs',
    entry: () => ({ command: 'npm', args: ['run', '--silent', 'mcp'] }),
    files: { '<project>/package.json': JSON.stringify({ scripts: { mcp: `"${NODE}" "${ODD_SERVER}"` } }) },
    change: (target) => ({
      '<project>/package.json': JSON.stringify({ scripts: { mcp: `${touch(target)}; "${NODE}" "${ODD_SERVER}"` } }),
    }),
  },
  {
    title: 'a program in a directory that is writable for everyone',
    entry: ({ machine }) => ({ command: join(machine.root, 'open/run.sh') }),
    files: { '/open/run.sh': shell() },
    prepare: ({ machine }) => chmodSync(join(machine.root, 'open'), 0o777),
    change: (target) => ({ '/open/run.sh': shell(touch(target)) }),
  },
];

function write({ machine }: Target, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    machine.write({ [path]: text.replaceAll('<home>', machine.home) });
    if (text.startsWith('#!')) chmodSync(machine.path(path), 0o755);
  }
}

/** A project whose server `own` is approved. */
async function approved({ entry, files, prepare }: Pick<Case, 'entry' | 'files' | 'prepare'>): Promise<Target> {
  const target = makeTarget();
  mkdirSync(join(target.machine.project, '.git'));
  write(target, files);
  prepare?.(target);
  target.machine.write({ [FILE]: servers({ own: entry(target) }, 'servers') });
  expect((await target.run(['approve', 'own', '--yes'])).status).toBe(0);
  return target;
}

describe.skipIf(process.platform === 'win32')(
  'an approval covers the content of files',
  { tags: 'S15', concurrent: true },
  () => {
    it.each(CASES)('requires a new approval after a change of $title', async (one) => {
      using target = await approved(one);
      const env = one.title.startsWith('the interpreter')
        ? { PATH: `${join(target.machine.project, 'bin')}:${process.env.PATH}` }
        : {};
      if (Object.keys(env).length > 0) await target.run(['approve', 'own', '--yes'], env);
      const call = async () => {
        const { status, stderr } = await target.run(['call', 'own', 'echo', 'text=hello'], env);
        return { status, code: /^([A-Z_]+):/.exec(stderr)?.[1] };
      };
      expect(await call()).toEqual(RAN);
      write(target, one.change(target));
      expect(await call()).toEqual(UNAPPROVED);
      expect(target.ran()).toEqual([]);
      expect((await target.run(['approve', 'own', '--yes'], env)).status).toBe(0);
      expect(await call()).toEqual(RAN);
    });

    it('requires a new approval after a change of the headers helper’s file', async () => {
      using target = makeTarget();
      await using server = await serveHttp(sdkHandler());
      const helper = (first: string) => ({ '<project>/headers.sh': `#!/bin/sh\n${first}\necho '{"X-Key":"1"}'\n` });
      write(target, helper(touch(target, 'honest')));
      const entry = { type: 'http', url: server.url, headersHelper: './headers.sh' };
      target.machine.write({ '<project>/.mcp.json': servers({ own: entry }) });
      await target.run(['approve', 'own', '--yes']);
      expect(await target.call('own')).toEqual(RAN);
      expect([target.ran(), server.headers.at(-1)?.get('x-key')]).toEqual([['honest'], '1']);
      write(target, helper(touch(target)));
      expect(await target.call('own')).toEqual(UNAPPROVED);
      expect(target.ran()).toEqual(['honest']);
    });

    it('does not run a changed headers helper again after a 401 response', async () => {
      await using machine = makeLaunchEnvironment({
        checkFiles: () => {
          if (hasChanged) throw new PortolanError(ErrorCode.ServerNotApproved, 'its files changed');
          return {};
        },
      });
      let [key, hasChanged] = ['helper-key-0', false];
      const handler = sdkHandler();
      await using server = await serveHttp((request) =>
        request.headers.get('authorization') === `Bearer ${key}`
          ? handler(request)
          : new Response('unauthorized', { status: 401 }),
      );
      const entry = admitted({ transport: 'http', url: server.url, headersHelper: countingHelper(machine.home) });
      await using one = await connectRemote(entry, machine);
      await one.connection.callTool('echo', {}, OPTIONS);
      [key, hasChanged] = ['helper-key-1', true];
      await expect(one.connection.callTool('echo', {}, OPTIONS)).rejects.toThrow('its files changed');
      expect(new Set(server.headers.map((headers) => headers.get('authorization')))).toEqual(
        new Set(['Bearer helper-key-0']),
      );
    });

    it('stops a running server whose script changed, and starts it again only after an approval', async () => {
      using target = await approved({
        entry: () => ({ command: NODE, args: ['./server.cjs'] }),
        files: { '<project>/server.cjs': script() },
      });
      await using client = await connect(target.machine);
      expect(codeIn(await client.execute('own', 'echo', { text: 'a' }))).toBeUndefined();
      write(target, { '<project>/server.cjs': script(marks(target, 'evil')) });
      await until(
        () => client.execute('own', 'echo', { text: 'a' }),
        (result) => codeIn(result) === 'SERVER_NOT_APPROVED',
      );
      expect(target.ran()).toEqual([]);
      await target.run(['approve', 'own', '--yes']);
      await until(
        () => client.execute('own', 'echo', { text: 'a' }),
        (result) => codeIn(result) === undefined,
      );
      expect(target.ran()).toEqual(['evil']);
    });
  },
);

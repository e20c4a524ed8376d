import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { makeTarget, servers, type Target } from '../support/attacks.js';
import { configure, connect, environment, PROGRAM, until } from '../support/client-over-stdio.js';

// path-safety.test.ts tests S5, hostile-files.test.ts unusual files, policy-matcher-is-linear.test.ts patterns in rules.

const SCRIPTED = join(dirname(fileURLToPath(import.meta.url)), '../fixtures/servers/scripted-server.mjs');
const ALL = { tools: {}, resources: {}, prompts: {}, completions: {} };

/** An entry for a server with these responses. */
function scripted(target: Target, name: string, responses: object, words: readonly string[] = []) {
  const file = target.machine.path(`~/${name}.json`);
  writeFileSync(file, JSON.stringify(responses));
  return { command: process.execPath, args: [SCRIPTED, file, ...words] };
}

describe.concurrent('path prefix and symlink (CVE-2025-53109, CVE-2025-53110)', { tags: 'S14' }, () => {
  it.each<{ title: string; folder: (target: Target) => string }>([
    { title: 'by a symbolic link', folder: ({ machine }) => linked(machine.path('~/link'), machine.project) },
    { title: 'by `..`', folder: ({ machine }) => `${machine.home}/../project/.cfg` },
    { title: 'by a double slash', folder: ({ machine }) => `${machine.project}//.cfg/` },
  ])('does not accept approvals from a repository that XDG_CONFIG_HOME names $title', async ({ folder }) => {
    using target = makeTarget();
    const { machine, bait } = target;
    machine.write({ '<project>/.cursor/mcp.json': servers({ evil: bait('evil') }) });
    await target.run(['approve', 'evil', '--yes']);
    for (const name of ['approvals.json', 'approvals.key']) {
      const text = readFileSync(machine.path(`~/.config/portolan/${name}`), 'utf8');
      machine.write({ [`<project>/.cfg/portolan/${name}`]: text, [`~/.config/portolan/${name}`]: '' });
    }
    const { stderr } = await target.run(['call', 'evil', 'echo', 'text=a'], { XDG_CONFIG_HOME: folder(target) });
    expect([stderr.includes('SERVER_NOT_APPROVED'), target.ran()]).toEqual([true, []]);
  });

  it('does not overwrite a file of the user through a lock file that is a symbolic link', async () => {
    using target = makeTarget();
    const { machine } = target;
    machine.write({ '<project>/.cursor/mcp.json': servers({ own: target.bait('own') }), '~/.profile': 'mine\n' });
    await target.run(['approve', 'own', '--yes']);
    symlinkSync(machine.path('~/.profile'), machine.path('<project>/portolan.lock.json'));
    const { status } = await target.run(['lock']);
    expect([status, readFileSync(machine.path('~/.profile'), 'utf8')]).toEqual([2, 'mine\n']);
  });

  it.each(['.mcp.json', '.cursor/mcp.json', '.codex/config.toml', '.continue/mcpServers/x.yaml', 'opencode.json'])(
    'shows nothing of a secret to which a configuration file links: %s',
    async (name) => {
      using target = makeTarget();
      const { machine } = target;
      machine.write({ '~/secret': 'canary: [canary = "canary\n\tcanary{' });
      mkdirSync(dirname(machine.path(`<project>/${name}`)), { recursive: true });
      symlinkSync(machine.path('~/secret'), machine.path(`<project>/${name}`));
      const printed = await Promise.all(
        [['doctor'], ['doctor', '--json'], ['list', '--json', '--all']].map((args) => target.run(args)),
      );
      await using client = await connect(machine);
      const shown = JSON.stringify([printed, await client.ask('list_mcp_servers')]);
      expect(shown).toContain(name);
      expect(shown).not.toContain('canary');
    },
  );

  it.each(['../../../../secret', '/etc/passwd', '..%2f..%2fsecret', 'own/../../secret', 'own'])(
    'accepts only names of servers, not paths: logs %j',
    async (name) => {
      using target = makeTarget();
      const { machine } = target;
      configure(machine, { own: { command: process.execPath, args: ['-e', 'console.error("its own")'] } });
      await target.call('own');
      machine.write({ '~/secret': 'canary', '~/secret.log': 'canary' });
      const { stdout, stderr } = await target.run(['logs', name]);
      if (name === 'own') expect(stdout).toMatch(/^its own$/m);
      else expect([stdout, stderr]).toEqual(['', expect.stringMatching(/^SERVER_NOT_FOUND: /)]);
    },
  );

  it.each(['../../../evil', '/tmp/evil', 'a/b', '..', '%2e%2e%2fevil', 'evil\n../x', 'honest'])(
    'writes nothing outside its directories for a server announced as %j',
    async (name) => {
      using target = makeTarget();
      const { machine } = target;
      const around = dirname(machine.home);
      const before = filesIn(around);
      const args = [PROGRAM, 'announce', '--name', name, '--url', 'http://127.0.0.1:9/mcp', '--user'];
      const program = spawn(process.execPath, args, { cwd: machine.project, env: environment(machine) });
      const ended = once(program, 'exit');
      await until(
        () => program.exitCode !== null || program.stdout.readableLength > 0,
        (done) => done,
      );
      const made = filesIn(around).filter((file) => !before.includes(file));
      program.stdin.end();
      await ended;
      expect(made.filter((file) => !/^home\/\.[\w.]+(?:\/[\w.-]+)*$/.test(file))).toEqual([]);
      // The valid name shows that files are created and found.
      if (name === 'honest') expect(made).not.toEqual([]);
    },
  );

  it.each([
    'portolan://one/../two/x',
    'portolan://one/%2e%2e/two/x',
    'portolan://one//two/x',
    'portolan://one/portolan://two/x',
    'portolan://one/file:///etc/passwd',
  ])('reads a resource only from the server in its URI: %s', async (uri) => {
    using target = makeTarget();
    const seen = ['one', 'two'].map((name) => target.machine.path(`~/${name}.seen`));
    configure(target.machine, {
      one: scripted(target, 'one', { capabilities: ALL }, ['--seen', seen[0] ?? '']),
      two: scripted(target, 'two', { capabilities: ALL }, ['--seen', seen[1] ?? '']),
    });
    await using client = await connect(target.machine);
    const { contents } = await client.request('resources/read', { uri });
    expect(contents).toEqual([
      { uri, text: expect.stringContaining(JSON.stringify(uri.slice('portolan://one/'.length))) },
    ]);
    expect(seen.map((file) => existsSync(file) && readFileSync(file, 'utf8').includes('resources/read'))).toEqual([
      true,
      false,
    ]);
  });

  it.each([
    'portolan://one@two/x',
    'portolan://ONE/x',
    'portolan:///x',
    'portolan://one%2f..%2ftwo/x',
    'file:///etc/passwd',
  ])('sends no request for a resource without a server: %s', async (uri) => {
    using target = makeTarget();
    configure(target.machine, { one: scripted(target, 'one', { capabilities: ALL }) });
    await using client = await connect(target.machine);
    await expect(client.request('resources/read', { uri })).rejects.toMatchObject({ code: -32602 });
  });
});

function linked(link: string, project: string): string {
  symlinkSync(join(project, '.cfg'), link);
  return link;
}

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' });
}

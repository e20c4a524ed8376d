import { chmodSync, existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { discover } from '../../src/discovery/index.js';
import { commandOn } from '../support/cli-in-process.js';
import { type Machine, makeMachine } from '../support/machine.js';

const SHARED = '<project>/.mcp.json';

const portolan = (machine: Machine, args: readonly string[], cwd = machine.project) =>
  commandOn(machine, args, { cwd });
const add = (machine: Machine, name: string, cwd?: string) =>
  portolan(machine, ['add', name, '--scope', 'project', '--', 'node', `${name}.js`], cwd);
const read = (machine: Machine, template: string) => readFileSync(machine.path(template), 'utf8');
const states = async (machine: Machine, cwd = machine.project) =>
  (await discover(machine.options({ cwd }))).servers.map(({ name, state }) => [name, state]);

/** Makes the project a repository and returns a directory inside it. */
function repository(machine: Machine): { readonly inside: string } {
  const inside = machine.path('<project>/packages/a');
  mkdirSync(machine.path('<project>/.git'), { recursive: true });
  mkdirSync(inside, { recursive: true });
  return { inside };
}

describe('portolan add and remove --scope project', () => {
  it('writes .mcp.json, and the server needs approval', async () => {
    using machine = makeMachine();
    const { status, out } = await add(machine, 'notes');
    expect([status, out.split('\n')]).toEqual([
      0,
      [
        'Added notes.',
        `  created ${machine.path(SHARED)}`,
        '  Servers of a project run only after approval: portolan approve notes',
      ],
    ]);
    expect(JSON.parse(read(machine, SHARED))).toEqual({
      mcpServers: { notes: { command: 'node', args: ['notes.js'] } },
    });
    expect(existsSync(machine.path('~/.config/portolan/servers.json'))).toBe(false);
    expect(await states(machine)).toEqual([['notes', 'pending-approval']]);
    await portolan(machine, ['approve', 'notes', '--yes']);
    expect(await states(machine)).toEqual([['notes', 'ready']]);
  });

  it('requires a new approval after a change, but not after the approved entry was removed and added again', async () => {
    using machine = makeMachine();
    await add(machine, 'notes');
    await portolan(machine, ['approve', 'notes', '--yes']);
    await portolan(machine, ['remove', 'notes', '--scope', 'project']);
    expect(await states(machine)).toEqual([]);
    await add(machine, 'notes');
    expect(await states(machine)).toEqual([['notes', 'ready']]);
    await portolan(machine, ['add', 'notes', '--scope', 'project', '--force', '--', 'node', 'other.js']);
    expect(await states(machine)).toEqual([['notes', 'pending-approval']]);
  });

  it('keeps permissions and every byte outside the entry, and leaves no other file except the backup', async () => {
    using machine = makeMachine();
    const text =
      '{\r\n\t// ours\r\n\t"mcpServers": {\r\n\t\t"a": { "command":"a" }, // keep\r\n\t},\r\n\t"other": 1e0\r\n}';
    machine.write({ [SHARED]: text });
    chmodSync(machine.path(SHARED), 0o664);
    expect((await add(machine, 'b')).status).toBe(0);
    expect(read(machine, SHARED)).toContain('// keep\r\n\t\t"b": {');
    expect(statSync(machine.path(SHARED)).mode & 0o777).toBe(0o664);
    expect((await portolan(machine, ['remove', 'b', '--scope', 'project'])).status).toBe(0);
    expect(read(machine, SHARED)).toBe(text);
    expect(statSync(machine.path(SHARED)).mode & 0o777).toBe(0o664);
    expect(readdirSync(machine.project).toSorted()).toEqual(['.mcp.json', '.mcp.json.portolan-backup']);
  });

  it('refuses to add an existing name and to remove an unknown server', async () => {
    using machine = makeMachine();
    machine.write({ [SHARED]: '{"mcpServers": {"a": {"command": "a"}}}' });
    const taken = await add(machine, 'a');
    expect([taken.status, taken.err]).toEqual([
      2,
      expect.stringContaining(`NAME_TAKEN: ${machine.path(SHARED)} already has a server called a`),
    ]);
    const absent = await portolan(machine, ['remove', 'b', '--scope', 'project']);
    expect([absent.status, absent.err]).toEqual([
      2,
      expect.stringContaining(`SERVER_NOT_FOUND: there is no server called b in ${machine.path(SHARED)}`),
    ]);
    expect((await portolan(machine, ['remove', 'a'])).err).toContain('servers.json');
    expect(read(machine, SHARED)).toBe('{"mcpServers": {"a": {"command": "a"}}}');
  });

  it('writes the file at the root of the repository when it runs in a subdirectory', async () => {
    using machine = makeMachine();
    const { inside } = repository(machine);
    const { out } = await portolan(
      machine,
      ['add', 'web', '--scope', 'project', '--url', 'https://w.example/mcp', '--json'],
      inside,
    );
    expect(JSON.parse(out)).toEqual({
      name: 'web',
      file: machine.path(SHARED),
      change: 'created',
      scope: 'project',
      notes: [expect.stringContaining('portolan approve web')],
    });
    expect(await states(machine, inside)).toEqual([['web', 'pending-approval']]);
    await portolan(machine, ['approve', 'web', '--yes'], inside);
    expect([await states(machine, inside), await states(machine)]).toEqual([[['web', 'ready']], [['web', 'ready']]]);
    expect((await portolan(machine, ['remove', 'web', '--scope', 'project'], inside)).status).toBe(0);
    expect(existsSync(machine.path(SHARED))).toBe(false);
  });

  it('adds to the nearest existing file, and removes from the nearest file that has the server', async () => {
    using machine = makeMachine();
    const { inside } = repository(machine);
    const near = '<project>/packages/a/.mcp.json';
    machine.write({ [SHARED]: '{"mcpServers": {"top": {"command": "a"}}}', [near]: '{}' });
    await add(machine, 'b', inside);
    expect(JSON.parse(read(machine, near)).mcpServers.b).toEqual({ command: 'node', args: ['b.js'] });
    await portolan(machine, ['remove', 'top', '--scope', 'project'], inside);
    expect(JSON.parse(read(machine, SHARED)).mcpServers ?? {}).toEqual({});
    expect(JSON.parse(read(machine, near)).mcpServers).toHaveProperty('b');
  });

  it('does not treat a repository around the home directory as the project', async () => {
    using machine = makeMachine();
    const inside = machine.path('~/work/a');
    machine.write({ '~/.git/HEAD': '', '~/.mcp.json': '{}' });
    mkdirSync(inside, { recursive: true });
    await add(machine, 'b', inside);
    expect([read(machine, '~/.mcp.json'), existsSync(machine.path('~/work/a/.mcp.json'))]).toEqual(['{}', true]);
  });

  it.each([
    { title: 'to a file of the user', target: '~/.claude.json' },
    { title: 'to a file that does not exist', target: '~/.config/portolan/servers.json' },
  ])('refuses a .mcp.json that is a symbolic link $title', async ({ target }) => {
    using machine = makeMachine();
    machine.write({ '~/.claude.json': '{"mcpServers": {"mine": {"command": "a"}}}' });
    symlinkSync(machine.path(target), machine.path(SHARED));
    for (const args of [
      ['add', 'evil', '--scope', 'project', '--', 'a'],
      ['remove', 'mine', '--scope', 'project'],
    ]) {
      const { status, err } = await portolan(machine, args);
      expect([status, err]).toEqual([2, expect.stringContaining('.mcp.json is a link, not a file')]);
    }
    expect(lstatSync(machine.path(SHARED)).isSymbolicLink()).toBe(true);
    expect(read(machine, '~/.claude.json')).toBe('{"mcpServers": {"mine": {"command": "a"}}}');
    expect(existsSync(machine.path('~/.config/portolan/servers.json'))).toBe(false);
  });

  it('warns that a value that may be a secret becomes public, and does not print it', async () => {
    using machine = makeMachine();
    const addArgs = ['add', 'a', '--scope', 'project', '--env'];
    const literal = await portolan(machine, [...addArgs, 'TOKEN=s3cret', '--', 'a']);
    expect(literal.out).toContain('write a secret as ${NAME}');
    expect(literal.out).not.toContain('s3cret');
    const reference = await portolan(machine, [...addArgs, 'TOKEN=${TOKEN}', '--force', '--', 'a']);
    expect(reference.out).not.toContain('write a secret');
  });
});

import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { codeIn, makeTarget, servers, type Target, UNAPPROVED } from '../support/attacks.js';
import { connect, until } from '../support/client-over-stdio.js';

// approval.test.ts changes every field alone (S13), trust.test.ts tests the rights of a repository.

const FILE = '<project>/.cursor/mcp.json';
const APPROVED = ['--level', 'info', ''];

/** A repository whose server `own` was approved and has run once. */
async function approved(words: readonly string[] = APPROVED): Promise<Target> {
  const target = makeTarget();
  target.machine.write({ [FILE]: servers({ own: target.bait('honest', words) }) });
  await target.run(['approve', 'own', '--yes']);
  expect(await target.call('own')).toEqual({ status: 0, code: undefined });
  expect(target.ran()).toEqual(['honest']);
  return target;
}

type Entry = ReturnType<Target['bait']>;

describe.concurrent('approval by name (CVE-2025-54136)', { tags: 'S14' }, () => {
  it.each<{ title: string; swap: (target: Target) => object }>([
    { title: 'another program', swap: ({ mark }) => ({ command: 'touch', args: [mark('evil')] }) },
    { title: 'a shell', swap: ({ mark }) => ({ command: 'sh', args: ['-c', `touch ${mark('evil')}`] }) },
    { title: 'another server in the same program', swap: ({ bait }) => bait('evil', APPROVED) },
    { title: 'one more argument', swap: ({ bait }) => bait('evil', [...APPROVED, '--x']) },
    { title: 'an empty argument removed', swap: (target) => swapped(target, APPROVED.slice(0, -1)) },
    { title: 'two arguments joined', swap: (target) => swapped(target, ['--level info', '']) },
    { title: 'one argument split', swap: (target) => swapped(target, ['--', 'level', 'info', '']) },
    { title: 'the same arguments in another order', swap: (target) => swapped(target, ['info', '--level', '']) },
    {
      title: 'a variable that loads code',
      swap: (target) => ({ ...swapped(target, APPROVED), env: { NODE_OPTIONS: '--require=./evil.cjs' } }),
    },
    { title: 'an empty variable', swap: (target) => ({ ...swapped(target, APPROVED), env: { X: '' } }) },
    { title: 'another working directory', swap: (target) => ({ ...swapped(target, APPROVED), cwd: '/' }) },
    { title: 'a URL', swap: () => ({ url: 'http://127.0.0.1:9/mcp' }) },
    {
      title: 'a PATH with another program of the same name',
      swap: (target) => ({ ...swapped(target, APPROVED), env: { PATH: target.machine.project } }),
    },
  ])('does not apply to $title under the approved name', async ({ swap }) => {
    using target = await approved();
    rmSync(target.mark('honest'));
    target.machine.write({ [FILE]: servers({ own: swap(target) }) });
    expect(await target.call('own')).toEqual(UNAPPROVED);
    expect(target.ran()).toEqual([]);
  });

  it.each(['Own', 'own ', 'оwn', 'ＯＷＮ', 'own_2'])('does not apply to a name that looks alike: %j', async (name) => {
    using target = await approved();
    target.machine.write({ [FILE]: servers({ [name]: target.bait('evil') }) });
    const { stdout } = await target.run(['list', '--json']);
    expect(JSON.parse(stdout).servers.map(({ state }: { state: string }) => state)).toEqual(['pending-approval']);
    expect(await target.call(name)).toEqual(UNAPPROVED);
    expect(target.ran()).toEqual(['honest']);
  });

  it('does not apply to an entry that is replaced while the gateway runs', async () => {
    using target = await approved();
    await using client = await connect(target.machine);
    expect(codeIn(await client.execute('own', 'echo', { text: 'a' }))).toBeUndefined();
    target.machine.write({ [FILE]: servers({ own: target.bait('evil') }) });
    await until(
      () => client.execute('own', 'echo', { text: 'a' }),
      (result) => codeIn(result) === 'SERVER_NOT_APPROVED',
    );
    expect(target.ran()).toEqual(['honest']);
  });

  it('applies again when the approved entry is restored, and never ran the entry in between', async () => {
    using target = await approved();
    const honest = readFileSync(target.machine.path(FILE), 'utf8');
    for (let n = 0; n < 2; n += 1) {
      target.machine.write({ [FILE]: servers({ own: target.bait('evil') }) });
      expect(await target.call('own')).toEqual(UNAPPROVED);
      writeFileSync(target.machine.path(FILE), honest);
      expect(await target.call('own')).toEqual({ status: 0, code: undefined });
    }
    expect(target.ran()).toEqual(['honest']);
  });

  it('does not apply to a repository with a longer path of the same prefix, or behind a symbolic link', async () => {
    using target = await approved(['relative.js']);
    const { machine } = target;
    const text = readFileSync(machine.path(FILE), 'utf8');
    const evil = `${machine.project}-evil`;
    for (const folder of [evil, `${machine.project}/../project-evil/sub`]) {
      mkdirSync(`${folder}/.cursor`, { recursive: true });
      writeFileSync(`${folder}/.cursor/mcp.json`, text);
      expect(await target.call('own', folder)).toEqual(UNAPPROVED);
    }
    symlinkSync(evil, `${machine.project}-link`);
    expect(await target.call('own', `${machine.project}-link`)).toEqual(UNAPPROVED);
  });
});

/** The approved entry with other arguments after the mark. */
function swapped({ bait }: Target, words: readonly string[]): Entry {
  return bait('honest', words);
}

import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { codeIn, makeTarget, servers, type Target, UNAPPROVED } from '../support/attacks.js';
import { connect, until } from '../support/client-over-stdio.js';

// In more depth: every field one by one in approval.test.ts (S13), what a repository may do in trust.test.ts.

const FILE = '<project>/.cursor/mcp.json';
const APPROVED = ['--level', 'info', ''];

/** A repository whose server `own` was approved as it was then, and has run once. */
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
    { title: 'one more word', swap: ({ bait }) => bait('evil', [...APPROVED, '--x']) },
    { title: 'an empty word less', swap: (target) => swapped(target, APPROVED.slice(0, -1)) },
    { title: 'two words that became one', swap: (target) => swapped(target, ['--level info', '']) },
    { title: 'one word that became two', swap: (target) => swapped(target, ['--', 'level', 'info', '']) },
    { title: 'the same words in another order', swap: (target) => swapped(target, ['info', '--level', '']) },
    {
      title: 'a variable that loads code',
      swap: (target) => ({ ...swapped(target, APPROVED), env: { NODE_OPTIONS: '--require=./evil.cjs' } }),
    },
    { title: 'an empty variable', swap: (target) => ({ ...swapped(target, APPROVED), env: { X: '' } }) },
    { title: 'another folder', swap: (target) => ({ ...swapped(target, APPROVED), cwd: '/' }) },
    { title: 'an address', swap: () => ({ url: 'http://127.0.0.1:9/mcp' }) },
    {
      title: 'a program that is found before the approved one',
      swap: (target) => ({ ...swapped(target, APPROVED), env: { PATH: target.machine.project } }),
    },
  ])('does not carry over to $title under the approved name', async ({ swap }) => {
    using target = await approved();
    rmSync(target.mark('honest'));
    target.machine.write({ [FILE]: servers({ own: swap(target) }) });
    expect(await target.call('own')).toEqual(UNAPPROVED);
    expect(target.ran()).toEqual([]);
  });

  it.each(['Own', 'own ', 'оwn', 'ＯＷＮ', 'own_2'])(
    'does not carry over to a name that looks like it: %j',
    async (name) => {
      using target = await approved();
      target.machine.write({ [FILE]: servers({ [name]: target.bait('evil') }) });
      const { stdout } = await target.run(['list', '--json']);
      expect(JSON.parse(stdout).servers.map(({ state }: { state: string }) => state)).toEqual(['pending-approval']);
      expect(await target.call(name)).toEqual(UNAPPROVED);
      expect(target.ran()).toEqual(['honest']);
    },
  );

  it('does not carry over to what is swapped in under a gateway that runs', async () => {
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

  it('does not carry over by a round trip: what was swapped back is what was approved, what came between never runs', async () => {
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

  it('does not carry over to a repository whose folder begins with the same letters, or is linked to', async () => {
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

/** The approved entry with other words after the mark. */
function swapped({ bait }: Target, words: readonly string[]): Entry {
  return bait('honest', words);
}

import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { configure, fixture, portolan } from '../support/client-over-stdio.js';
import { makeMachine } from '../support/machine.js';

it('warns once that an unusable catalog is created again, for all of its files together', async () => {
  using machine = makeMachine();
  configure(machine, { own: fixture(['own']), other: fixture(['other']) });
  for (const server of ['own', 'other']) await portolan(machine, ['tools', server]);
  const folder = join(machine.home, '.cache/portolan/catalog');
  const files = readdirSync(folder);
  for (const file of files) writeFileSync(join(folder, file), '{"version":1,"too');
  expect(files).toHaveLength(2);
  const { status, stdout, stderr } = await portolan(machine, ['search', 'echo', '--json']);
  expect({ status, found: JSON.parse(stdout).results.length > 0 }).toEqual({ status: 0, found: true });
  expect(stderr).toMatch(/^warning: a catalog file is not usable and is created again: \S+\.json \(and 1 more\)\n$/);
  expect((await portolan(machine, ['search', 'echo', '--json'])).stderr).toBe('');
});

it('warns that a call is missing from the audit log, and reports a failed server only once', async () => {
  using machine = makeMachine();
  configure(machine, { own: fixture(['own']), dying: fixture(['--dies', 'no key was given']) });
  const folder = join(machine.home, '.local/state/portolan/audit');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(join(folder, '..'), { recursive: true });
  writeFileSync(folder, 'a file instead of a directory');
  const called = await portolan(machine, ['call', 'own', 'echo', 'text=a']);
  expect({ status: called.status, stdout: called.stdout }).toEqual({ status: 0, stdout: 'a\n' });
  expect(called.stderr.split('\n')).toEqual([
    expect.stringMatching(/^warning: the audit log could not be written and will be retried: .*audit/),
    'warning: the audit log is missing the last 1 executions',
    '',
  ]);
  const failed = await portolan(machine, ['tools', 'dying']);
  expect(failed.stderr).toMatch(/^CONNECTION_ERROR: /);
  expect(failed.stderr).not.toContain('warning');
});

it.each([
  {
    what: 'the catalog',
    kept: '.cache/portolan/catalog',
    warning: /^warning: the catalog could not be saved: .*portolan.catalog.*\n$/,
  },
  {
    what: 'the hashes of tools',
    kept: '.local/state/portolan/pins',
    warning: /^warning: the pins could not be saved: .*pins.*\n$/,
  },
])('warns that $what could not be written, and still prints the result', async ({ kept, warning }) => {
  using machine = makeMachine();
  configure(machine, { own: fixture(['own']) });
  const folder = join(machine.home, kept);
  mkdirSync(join(folder, '..'), { recursive: true });
  writeFileSync(folder, 'a file instead of a directory');
  const { status, stdout, stderr } = await portolan(machine, ['tools', 'own', '--json']);
  expect({ status, tools: JSON.parse(stdout).tools.length > 0 }).toEqual({ status: 0, tools: true });
  expect(stderr).toMatch(warning);
});

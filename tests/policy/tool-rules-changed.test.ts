import { describe, expect, it } from 'vitest';
import { configure, fixture, portolan } from '../support/client-over-stdio.js';
import { type Machine, makeMachine } from '../support/machine.js';

/** With the former rules, the first matching rule decided. */
const RULES = [
  { pattern: ['*git*'], enabled: true },
  { pattern: ['*delete*', '!github'], enabled: false },
];

const CHANGED = expect.objectContaining({ code: 'tool-rules-changed' });

function machineWith(settings: object): Machine {
  const machine = makeMachine();
  configure(machine, { github: fixture([]), other: fixture([]) }, settings);
  return machine;
}

async function problemsOf(machine: Machine, args: readonly string[]): Promise<{ code: string; message: string }[]> {
  return JSON.parse((await portolan(machine, [...args, '--json'])).stdout).problems;
}

describe.each([{ args: ['doctor'] }, { args: ['config', 'validate'] }])('portolan $args', ({ args }) => {
  it('reports every rule whose meaning changed, with a hint to restore the old effect', async () => {
    using machine = machineWith({ toolRules: RULES });
    const changed = (await problemsOf(machine, args)).filter(({ code }) => code === 'tool-rules-changed');
    const source = machine.path('~/.config/portolan/portolan.config.json');
    expect(changed).toEqual([
      expect.objectContaining({
        source,
        severity: 'warning',
        message: expect.stringContaining('toolRules[0] (["*git*"]) no longer disables the tools that no rule matches'),
        hint: expect.stringContaining('"toolDefault": "disabled"'),
      }),
      expect.objectContaining({
        source,
        message: expect.stringContaining(
          'toolRules[1] (["*delete*","!github"]) now also disables tools that toolRules[0]',
        ),
        hint: expect.stringContaining('add "!*git*" to the pattern'),
      }),
      expect.objectContaining({
        source,
        server: 'github',
        severity: 'info',
        message: expect.stringContaining('toolRules[0] (["*git*"]) applies to every tool of this server'),
        hint: expect.stringContaining('write "*/*git*"'),
      }),
      expect.objectContaining({
        server: 'github',
        message: expect.stringContaining('toolRules[1] (["*delete*","!github"]) excludes every tool of this server'),
        hint: expect.stringContaining('write "!*/github"'),
      }),
    ]);
  });

  it('reports nothing for rules with the same effect before and now', async () => {
    using machine = machineWith({
      toolDefault: 'disabled',
      toolRules: [
        { pattern: ['*/*git*', '!*delete*'], enabled: true },
        { pattern: ['*delete*'], enabled: false },
      ],
    });
    expect(await problemsOf(machine, args)).not.toContainEqual(CHANGED);
  });
});

it('portolan config validate reports a pattern that cannot be read', async () => {
  using machine = machineWith({ toolRules: [{ pattern: ['/(/'], enabled: false }] });
  const { status, stdout } = await portolan(machine, ['config', 'validate']);
  expect({ status, stdout }).toEqual({ status: 2, stdout: expect.stringContaining('"/(/" is invalid') });
});

import { describe, expect, it } from 'vitest';
import { scanMachine } from '../../src/discovery/index.js';
import { CLIENTS } from '../../src/sources/index.js';
import { allSamples } from '../samples/index.js';
import type { Sample } from '../samples/sample.js';
import { type Machine, makeMachine, PLATFORMS, type Platform } from '../support/machine.js';

const all = await allSamples();

describe('samples', () => {
  it('exist for every client', () => {
    expect(all.map(({ client }) => client).sort()).toEqual(CLIENTS.map(({ id }) => id).sort());
  });
});

for (const { client, samples } of all) {
  describe(`samples of ${client}`, () => {
    for (const sample of samples) {
      it.each(sample.platforms ?? PLATFORMS)(`${sample.title} (%s)`, async (platform) => {
        using machine = makeMachine();
        const files = typeof sample.files === 'function' ? sample.files(platform) : sample.files;
        machine.write(place(files, machine) as Readonly<Record<string, string>>);
        const env = place(sample.env ?? {}, machine) as Readonly<Record<string, string>>;
        const found = await scanMachine(machine.options({ platform, clients: [client], env }));
        expect(found.definitions).toMatchObject(place(expectedOf(sample, platform), machine) as object[]);
        expect(found.problems.map(({ code }) => code)).toEqual(problemsOf(sample, platform));
        // Each definition appears exactly once: as a server, an origin, a shadowed or an ignored definition.
        const seen = [
          ...found.servers.flatMap((server) => [...server.duplicates, ...server.shadowed]),
          ...found.ignored,
        ];
        expect(new Set(seen)).toEqual(new Set(found.definitions));
        expect(seen).toHaveLength(found.definitions.length);
      });
    }
  });
}

function expectedOf({ expected }: Sample, platform: Platform): unknown {
  return typeof expected === 'function' ? expected(platform) : expected;
}

function problemsOf({ problems = [] }: Sample, platform: Platform): readonly string[] {
  return typeof problems === 'function' ? problems(platform) : problems;
}

/** The expectation with the directories of this machine filled in. */
function place(value: unknown, machine: Machine): unknown {
  if (typeof value === 'string') {
    return value.replaceAll(/<(home|project|root)>/g, (_, name: 'home' | 'project' | 'root') => machine[name]);
  }
  if (Array.isArray(value)) return value.map((item) => place(item, machine));
  if (typeof value !== 'object' || value === null || 'asymmetricMatch' in value) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, place(item, machine)]));
}

import { describe, expect, it } from 'vitest';
import { definition } from '../../../tests/fakes/definition.js';
import type { Definition, Era } from '../../model/index.js';
import { admit } from '../../policy/index.js';
import { chooseProcess, type EraFacts } from './choose-process.js';
import type { LeaseOptions } from './lease.js';

const runs = (era?: Era) => ({ isActive: true, era });
const STOPPED = { isActive: false, era: undefined };
const BOTH: EraFacts = { supported: { legacy: true, modern: true }, asksClient: true };

interface Case {
  readonly title: string;
  readonly fields?: Partial<Definition>;
  readonly lease: Pick<LeaseOptions, 'era' | 'purpose'>;
  readonly facts?: Partial<EraFacts>;
  readonly processes: Parameters<typeof chooseProcess>[3];
  readonly expected: 'first' | 'second';
}

const HTTP: Partial<Definition> = { transport: 'http', url: 'http://x/' };

describe('chooseProcess', () => {
  it.each<Case>([
    {
      title: 'starts a server that does not run',
      lease: { era: 'modern' },
      processes: [undefined, undefined],
      expected: 'first',
    },
    { title: 'starts a stopped server', lease: { era: 'modern' }, processes: [STOPPED, STOPPED], expected: 'first' },
    {
      title: 'shares a process of the same era',
      lease: { era: 'modern' },
      processes: [runs('modern'), undefined],
      expected: 'first',
    },
    {
      title: 'starts a second one in the other era',
      lease: { era: 'modern' },
      processes: [runs('legacy'), undefined],
      expected: 'second',
    },
    {
      title: 'uses the second one',
      lease: { era: 'modern' },
      processes: [runs('legacy'), runs('modern')],
      expected: 'second',
    },
    {
      title: 'uses the first one beside the second',
      lease: { era: 'legacy' },
      processes: [runs('legacy'), runs('modern')],
      expected: 'first',
    },
    {
      title: 'uses the second one after the first stopped',
      lease: { era: 'modern' },
      processes: [STOPPED, runs('modern')],
      expected: 'second',
    },
    {
      title: 'starts the first one again beside the second',
      lease: { era: 'legacy' },
      processes: [STOPPED, runs('modern')],
      expected: 'first',
    },
    {
      title: 'starts none for reading',
      lease: { era: 'modern', purpose: 'inquiry' },
      processes: [runs('legacy'), undefined],
      expected: 'first',
    },
    {
      title: 'starts none for reading beside the second',
      lease: { era: 'legacy', purpose: 'read' },
      processes: [STOPPED, runs('modern')],
      expected: 'second',
    },
    {
      title: 'starts one for a subscription',
      lease: { era: 'modern', purpose: 'watch' },
      processes: [runs('legacy'), undefined],
      expected: 'second',
    },
    {
      title: 'takes any for a caller without an era',
      lease: {},
      processes: [STOPPED, runs('modern')],
      expected: 'second',
    },
    {
      title: 'shares a server that sent no request',
      lease: { era: 'modern' },
      facts: { asksClient: false },
      processes: [runs('legacy'), undefined],
      expected: 'first',
    },
    {
      title: 'shares a server that does not support the era',
      lease: { era: 'modern' },
      facts: { supported: { legacy: true, modern: false } },
      processes: [runs('legacy'), undefined],
      expected: 'first',
    },
    {
      title: 'shares a server whose entry states the era',
      fields: { era: 'legacy' },
      lease: { era: 'modern' },
      processes: [runs('legacy'), undefined],
      expected: 'first',
    },
    {
      title: 'connects to a remote server once for each era',
      fields: HTTP,
      lease: { era: 'modern' },
      facts: { supported: {}, asksClient: false },
      processes: [runs('legacy'), undefined],
      expected: 'second',
    },
    {
      title: 'connects once to a remote server that supports one era',
      fields: HTTP,
      lease: { era: 'modern' },
      facts: { supported: { modern: false }, asksClient: false },
      processes: [runs('legacy'), undefined],
      expected: 'first',
    },
  ])('$title', ({ fields = {}, lease, facts = {}, processes, expected }) => {
    const server = admit('tool', definition({ name: 'tool', command: 'tool', ...fields }), { kind: 'allowed' });
    if (!server) throw new Error('not admitted');
    expect(chooseProcess(server, lease, { ...BOTH, ...facts }, processes)).toBe(expected);
  });
});

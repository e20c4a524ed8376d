import { describe, expect, it } from 'vitest';
import { connectTo, INITIALIZE_RESULT, LONG, type Request } from '../../../tests/fakes/connection.js';
import type { Era, SupportedEras } from '../../model/index.js';
import { handshake } from './handshake.js';

const CLIENT = { name: 'portolan', version: '1' };
const DISCOVERED = { supportedVersions: ['2026-07-28'], capabilities: {} };

type Answers = Readonly<Record<string, unknown>>;

/** A server with these results; any other method is unknown. */
function serverWith(results: Answers) {
  return ({ id, method }: Request, say: (message: Record<string, unknown>) => void) => {
    if (method in results) return results[method];
    if (id !== undefined) say({ id, error: { code: -32601, message: `no ${method}` } });
    return undefined;
  };
}

const OLD = { initialize: INITIALIZE_RESULT };
const NEW = { 'server/discover': DISCOVERED };
const BOTH = { ...OLD, ...NEW };
const ODD = { ...NEW, initialize: { ...INITIALIZE_RESULT, protocolVersion: '2026-07-28' } };

interface Case {
  readonly title: string;
  readonly server: Answers;
  readonly era?: Era;
  readonly wanted?: Era;
  readonly sent: readonly string[];
  readonly revision: string;
  readonly eras: SupportedEras;
}

const [LAST_OLD, CURRENT] = ['2025-11-25', '2026-07-28'];

describe('handshake', () => {
  it.each<Case>([
    {
      title: 'a server of both eras',
      server: BOTH,
      wanted: 'modern',
      sent: ['server/discover'],
      revision: CURRENT,
      eras: { modern: true },
    },
    {
      title: 'a server of both eras without a client',
      server: BOTH,
      sent: ['server/discover'],
      revision: CURRENT,
      eras: { modern: true },
    },
    {
      title: 'a server of both eras for a legacy client',
      server: BOTH,
      wanted: 'legacy',
      sent: ['server/discover', 'initialize'],
      revision: LAST_OLD,
      eras: { legacy: true, modern: true },
    },
    {
      title: 'a server that is known to support both eras for a legacy client',
      server: BOTH,
      era: 'legacy',
      wanted: 'legacy',
      sent: ['initialize'],
      revision: LAST_OLD,
      eras: { legacy: true },
    },
    {
      title: 'a legacy server for a modern client',
      server: OLD,
      wanted: 'modern',
      sent: ['server/discover', 'initialize'],
      revision: LAST_OLD,
      eras: { legacy: true, modern: false },
    },
    {
      title: 'a modern server for a legacy client',
      server: NEW,
      wanted: 'legacy',
      sent: ['server/discover', 'initialize'],
      revision: CURRENT,
      eras: { legacy: false, modern: true },
    },
    {
      title: 'a modern server that answers initialize with the current revision',
      server: ODD,
      wanted: 'legacy',
      sent: ['server/discover', 'initialize'],
      revision: CURRENT,
      eras: { legacy: false, modern: true },
    },
    {
      title: 'a modern server that was taken for a legacy one',
      server: NEW,
      era: 'legacy',
      wanted: 'legacy',
      sent: ['initialize', 'server/discover'],
      revision: CURRENT,
      eras: { legacy: false, modern: true },
    },
    {
      title: 'a legacy server that was taken for a modern one',
      server: OLD,
      era: 'modern',
      wanted: 'modern',
      sent: ['server/discover', 'initialize'],
      revision: LAST_OLD,
      eras: { legacy: true, modern: false },
    },
  ])('greets $title', async ({ server, era, wanted, sent, revision, eras }) => {
    const { connection, got } = connectTo(serverWith(server));
    expect(await handshake(connection, { client: CLIENT, options: LONG, era, wanted })).toEqual(eras);
    expect(connection.handshake.protocolVersion).toBe(revision);
    const requests = got
      .map(({ method }) => method)
      .filter((method) => method === 'initialize' || method === 'server/discover');
    expect(requests).toEqual(sent);
    await connection.close();
  });

  it('does not go on with a server that exits during the second greeting', async () => {
    const { connection, end } = connectTo(({ method }) => {
      if (method === 'server/discover') return DISCOVERED;
      end();
      return undefined;
    });
    await expect(
      handshake(connection, { client: CLIENT, options: LONG, era: undefined, wanted: 'legacy' }),
    ).rejects.toThrow();
  });
});

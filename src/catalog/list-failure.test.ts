import { describe, expect, it } from 'vitest';
import { definition } from '../../tests/fakes/definition.js';
import { ErrorCode, PortolanError } from '../base/index.js';
import { admit } from '../policy/index.js';
import { RpcError } from '../rpc/index.js';
import { listFailure } from './list-failure.js';

const local = admit('My Server', definition({ name: 'My Server' }), { kind: 'allowed' });
const remote = admit('far', definition({ name: 'far', transport: 'http' }), { kind: 'allowed' });
const cause = new RpcError(-32603, 'no database');
const PREFIX = 'its list of tools could not be read: ';

describe('listFailure', () => {
  it.each([
    {
      title: 'the refusal of a local server, with its log',
      server: local,
      error: new PortolanError(ErrorCode.ToolExecutionError, 'no database', { cause }),
      expected: {
        message: `${PREFIX}no database`,
        hint: "the next call tries again; for its output run `portolan logs 'My Server'`",
        cause,
      },
    },
    {
      title: 'the refusal of a remote server, which has no log',
      server: remote,
      error: new PortolanError(ErrorCode.ToolExecutionError, 'no database', { cause }),
      expected: { message: `${PREFIX}no database`, hint: 'the next call tries again', cause },
    },
    {
      title: 'a list over the limit, with a hint',
      server: local,
      error: new PortolanError(ErrorCode.ResultTooLarge, 'the result has 9 bytes', { hint: 'raise the limit' }),
      expected: { message: `${PREFIX}the result has 9 bytes`, hint: 'raise the limit' },
    },
    {
      title: 'a lost connection unchanged',
      server: local,
      error: new PortolanError(ErrorCode.ConnectionError, 'it exited', { hint: 'look' }),
      expected: { message: 'it exited', hint: 'look' },
    },
    { title: 'an internal error unchanged', server: local, error: new TypeError('x'), expected: { message: 'x' } },
  ])('returns $title', ({ server, error, expected }) => {
    if (!server) throw new Error('it was allowed');
    expect(listFailure(error, server)).toMatchObject(expected);
  });
});

import { expect, it } from 'vitest';
import { definition } from '../../tests/fakes/definition.js';
import { DEFAULTS } from '../settings/index.js';
import { startLimit } from './start-limit.js';

const MINUTE_MS = 60_000;
const runner = { command: 'npx', args: ['-y', 'server'] };

it.each([
  { title: 'a program', entry: { command: 'server' }, ms: MINUTE_MS, hint: 'timeouts.startMs', isDownload: false },
  {
    title: 'a remote server',
    entry: { url: 'https://a.example/' },
    ms: MINUTE_MS,
    hint: 'timeouts.startMs',
    isDownload: false,
  },
  { title: 'a package runner', entry: runner, ms: 5 * MINUTE_MS, hint: 'timeouts.installMs', isDownload: true },
  {
    title: 'an entry with a start timeout',
    entry: { ...runner, startupTimeoutMs: 7_000 },
    ms: 7_000,
    hint: 'the start timeout in its entry',
    isDownload: true,
  },
  {
    title: 'a server with a setting of its own',
    entry: { ...runner, startupTimeoutMs: 7_000 },
    own: { one: 9_000 },
    ms: 9_000,
    hint: 'startTimeouts.one',
    isDownload: true,
  },
])('gives $title its time', ({ entry, own = {}, ms, hint, isDownload }) => {
  const limit = startLimit('one', definition({ name: 'one', ...entry }), { ...DEFAULTS, startTimeouts: own });
  expect(limit).toEqual({ ms, hint: `raise ${hint}`, isDownload });
});

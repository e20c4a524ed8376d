// The rows of the table: what is measured, in order, with the target of each.
const MEGABYTE = 1024 * 1024;

/** The targets. A call is compared with the bare proxy of the same run, which only parses and forwards; a large result with a direct connection. */
const LIMITS = {
  p50Ratio: 1.25,
  callsRatio: 0.75,
  largeRatio: 2,
  memoryMegabytes: 50,
  overheadMs: 50,
  searchMs: 150,
  executionMs: 500,
  listRatio: 2.5,
};

/**
 * A row is `{ id, label, unit, better, values, target?, isRanked? }`; a target has a text and a function that checks
 * it. A row without rank is informative.
 */
export function rowsOf({ starts, lean, sdk, sdkReal, usual, large, load, tools, packed }) {
  const pick = (calls, field) => new Map([...calls].map(([name, figures]) => [name, figures[field]]));
  const minimal = starts.minimal?.get('minimal');
  const noSlower = {
    text: minimal === undefined ? '≤ minimal SDK v2 server' : `≤ ${minimal.toFixed(0)} ms, minimal SDK v2 server`,
    judge: ({ portolan }) => (minimal === undefined ? undefined : verdict(portolan <= minimal)),
  };
  const under = (limit, unit) => ({ text: `≤ ${limit} ${unit}`, judge: ({ portolan }) => verdict(portolan <= limit) });
  const overhead = {
    text: `≤ ${LIMITS.overheadMs} ms over direct`,
    judge: ({ portolan, direct }) => direct && verdict(portolan - direct <= LIMITS.overheadMs),
  };
  const megabytes = (map) => new Map([...map].map(([name, bytes]) => [name, bytes / MEGABYTE]));
  const firstTime = (map) =>
    new Map([...map].flatMap(([name, value]) => (name === 'portolan, first time' ? [['portolan', value]] : [])));
  const p50 = against('bare proxy', 'at most', LIMITS.p50Ratio);
  const rate = against('bare proxy', 'at least', LIMITS.callsRatio);
  const twice = against('direct', 'at most', LIMITS.largeRatio);
  const memory = under(LIMITS.memoryMegabytes, 'MB');
  const listStart = {
    text: `≤ ${LIMITS.listRatio} x bare node`,
    judge: ({ portolan, direct }) => direct && verdict(portolan <= LIMITS.listRatio * direct),
  };

  return [
    row('first-list-one', 'first tools/list, 1 server', 'ms', starts.one),
    row('first-list-cold', 'first tools/list, 30 servers, no cache', 'ms', starts.cold, noSlower),
    row('first-list-warm', 'first tools/list, 30 servers, cached', 'ms', starts.warm, noSlower),
    row('known-cold', 'all tools of 30 servers known, no cache', 'ms', starts.known),
    row('known-warm', 'all tools of 30 servers known, cached', 'ms', starts.knownWarm),
    section('calls, lean client, lean server'),
    row('lean-p50', 'a call, p50', 'ms', pick(lean, 'p50')),
    row('lean-p99', 'a call, p99', 'ms', pick(lean, 'p99'), overhead),
    row('lean-calls', '16 in flight', 'calls/s', pick(lean, 'callsPerSecond')),
    row('lean-cpu', 'processor time of the gateway, a call', 'µs', without('direct', pick(lean, 'cpuPerCall'))),
    section('calls, SDK v2 client, lean server'),
    row('sdk-p50', 'a call, p50', 'ms', pick(sdk, 'p50'), p50),
    row('sdk-p99', 'a call, p99', 'ms', pick(sdk, 'p99')),
    row('sdk-calls', '16 in flight', 'calls/s', pick(sdk, 'callsPerSecond'), rate),
    section('calls, SDK v2 client, server-everything'),
    row('real-p50', 'a call, p50', 'ms', pick(sdkReal, 'p50'), p50),
    row('real-p99', 'a call, p99', 'ms', pick(sdkReal, 'p99'), under(LIMITS.executionMs, 'ms')),
    row('real-calls', '16 in flight', 'calls/s', pick(sdkReal, 'callsPerSecond'), rate),
    section(`calls with ${tools} tools loaded, after searches of eight needs, SDK v2 client, lean server`),
    row('usual-p50', 'a call, p50', 'ms', pick(usual, 'p50'), p50),
    row('usual-p99', 'a call, p99', 'ms', pick(usual, 'p99')),
    row('usual-calls', '16 in flight', 'calls/s', pick(usual, 'callsPerSecond'), rate),
    section('load'),
    row('large', 'a result of 10 MB', 'ms', large, twice),
    row(
      'memory',
      `over bare node, ${tools} tools, 1,000 calls`,
      'MB',
      megabytes(without('portolan, first time', load.rss)),
      memory,
    ),
    row('memory-first', '… having read the tools from 42 servers', 'MB', megabytes(firstTime(load.rss)), memory),
    row(
      'search',
      `search over ${tools} tools, p99`,
      'ms',
      without('portolan, first time', load.search),
      under(LIMITS.searchMs, 'ms'),
    ),
    row(
      'search-first',
      '… having read the tools from 42 servers',
      'ms',
      firstTime(load.search),
      under(LIMITS.searchMs, 'ms'),
    ),
    section('the package'),
    { ...row('installed', 'installed, with all it depends on', 'MB', megabytes(packed.installed)), isRanked: false },
    row('installed-needed', '… without pyodide, which is optional', 'MB', megabytes(packed.needed)),
    row('start', 'portolan list, empty machine (direct: bare node)', 'ms', packed.start, listStart),
  ];
}

const without = (name, map) => new Map([...map].filter(([key]) => key !== name));
const section = (title) => ({ section: title });

function row(id, label, unit, values = new Map(), target = undefined) {
  return { id, label, unit, better: unit === 'calls/s' ? 'higher' : 'lower', values, target };
}

const verdict = (isMet) => (isMet ? 'met' : 'missed');

/** The ratio to another contender in the same row; undefined if that one is missing. */
function against(contender, bound, limit) {
  return {
    text: `${bound === 'at most' ? '≤' : '≥'} ${limit} x ${contender}`,
    judge({ portolan, [contender]: base }) {
      if (base === undefined) return undefined;
      return verdict(bound === 'at most' ? portolan <= limit * base : portolan >= limit * base);
    },
  };
}

/** The verdict on the target and on the place among the peers; undefined where a figure is missing. */
export function verdictsOf({ values, better, target, isRanked = true }, peers) {
  const portolan = values.get('portolan');
  if (portolan === undefined) return { target: undefined, ahead: undefined };
  const others = peers.flatMap((peer) => values.get(peer) ?? []);
  const isAhead = others.every((other) => (better === 'higher' ? portolan > other : portolan < other));
  return {
    target: target?.judge(Object.fromEntries(values)),
    ahead: others.length === 0 || !isRanked ? undefined : verdict(isAhead),
  };
}

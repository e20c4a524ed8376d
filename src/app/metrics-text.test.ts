import { describe, expect, it } from 'vitest';
import { CallMetrics } from '../gateway/index.js';
import { metricsText } from './metrics-text.js';

const pool = { states: () => ({ connected: 2, starting: 0, disconnected: 1 }) };

/** Parses the text format strictly: each family once, help and type before its samples, no other lines. */
function parsed(text: string): Record<string, number> {
  const samples: Record<string, number> = {};
  let family = '';
  const seen = new Set<string>();
  for (const line of text.slice(0, -1).split('\n')) {
    const [, help] = /^# HELP (\S+) \S/.exec(line) ?? [];
    const [, typed] = /^# TYPE (\S+) (?:counter|gauge|histogram)$/.exec(line) ?? [];
    if (help !== undefined) {
      if (seen.has(help)) throw new Error(`${help} twice`);
      seen.add(help);
      family = help;
    } else if (typed !== undefined) expect(typed).toBe(family);
    else {
      const [, name = '', labels = '', value] =
        /^([a-z_]+)(\{(?:[a-z]+="(?:[^"\\\n]|\\[\\"n])*",?)+\})? (\S+)$/.exec(line) ?? [];
      if (!name.startsWith(family) || !Number.isFinite(Number(value))) throw new Error(`no sample: ${line}`);
      samples[`${name}${labels}`] = Number(value);
    }
  }
  return samples;
}

describe('metricsText', () => {
  it('counts calls, failures by code, and durations in buckets that add up', () => {
    const calls = new CallMetrics();
    for (const [outcome, durationMs] of [
      ['ok', 0.5],
      ['ok', 20],
      ['tool-error', 700],
      ['TIMEOUT', 400_000],
      ['TIMEOUT', 2],
    ] as const)
      calls.record({ outcome, durationMs });
    const text = metricsText({ version: '1.2.3', calls, pool, clients: () => ({ socket: 3, http: 1 }) });
    expect(text.endsWith('\n')).toBe(true);
    const samples = parsed(text);
    expect(samples).toMatchObject({
      'portolan_build_info{version="1.2.3"}': 1,
      portolan_calls_total: 5,
      'portolan_call_errors_total{code="tool-error"}': 1,
      'portolan_call_errors_total{code="TIMEOUT"}': 2,
      'portolan_call_duration_seconds_bucket{le="0.001"}': 1,
      'portolan_call_duration_seconds_bucket{le="0.0025"}': 2,
      'portolan_call_duration_seconds_bucket{le="0.025"}': 3,
      'portolan_call_duration_seconds_bucket{le="1"}': 4,
      'portolan_call_duration_seconds_bucket{le="300"}': 4,
      'portolan_call_duration_seconds_bucket{le="+Inf"}': 5,
      portolan_call_duration_seconds_count: 5,
      'portolan_upstreams{state="connected"}': 2,
      'portolan_upstreams{state="disconnected"}': 1,
      'portolan_clients{transport="socket"}': 3,
      'portolan_clients{transport="http"}': 1,
    });
    expect(samples.portolan_call_duration_seconds_sum).toBeCloseTo(400.7225);
    expect(samples.process_resident_memory_bytes).toBeGreaterThan(1_000_000);
  });

  it('stays well-formed and bounded for any error code', () => {
    const calls = new CallMetrics();
    for (let n = 0; n < 1_000; n += 1) calls.record({ outcome: `"}\n\\${n}`, durationMs: 1 });
    const samples = parsed(metricsText({ version: '"\\\n', calls, pool, clients: () => ({}) }));
    const codes = Object.entries(samples).filter(([name]) => name.startsWith('portolan_call_errors_total'));
    expect(codes.length).toBeLessThanOrEqual(65);
    expect(codes.reduce((sum, [, value]) => sum + value, 0)).toBe(1_000);
  });
});

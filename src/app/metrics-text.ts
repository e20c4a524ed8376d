import type { CallMetrics } from '../gateway/index.js';
import type { SharedPool } from '../upstream/index.js';

/** The data behind `/metrics`. It contains no text of a server or a client. */
export interface Measured {
  readonly version: string;
  readonly calls: CallMetrics;
  readonly pool: Pick<SharedPool, 'states'>;
  /** The number of connected clients by transport. */
  readonly clients: () => Readonly<Record<string, number>>;
}

type Labels = Readonly<Record<string, string>>;
type Sample = readonly [suffix: string, labels: Labels, value: number];

const TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/** Formats `/metrics` in the text format of Prometheus. */
export function metricsResponse(measured: Measured): Response {
  return new Response(metricsText(measured), { headers: { 'content-type': TYPE } });
}

export function metricsText({ version, calls, pool, clients }: Measured): string {
  const { buckets, sum, count } = calls.durations;
  const { rss, heapUsed } = process.memoryUsage();
  const { user, system } = process.cpuUsage();
  const startedAt = Date.now() / 1_000 - process.uptime();
  return [
    family('portolan_build_info', 'gauge', 'The running version.', [['', { version }, 1]]),
    family('portolan_calls_total', 'counter', 'Tool calls since the start.', [['', {}, count]]),
    family('portolan_call_errors_total', 'counter', 'Failed calls by error code.', [
      ...[...calls.errors].map(([code, failed]): Sample => ['', { code }, failed]),
    ]),
    family('portolan_call_duration_seconds', 'histogram', 'Duration of calls, including waiting.', [
      ...buckets.map((bucket): Sample => ['_bucket', { le: String(bucket.seconds) }, bucket.count]),
      ['_bucket', { le: '+Inf' }, count],
      ['_sum', {}, sum],
      ['_count', {}, count],
    ]),
    family('portolan_upstreams', 'gauge', 'Used servers by current state.', [
      ...Object.entries(pool.states()).map(([state, number]): Sample => ['', { state }, number]),
    ]),
    family('portolan_clients', 'gauge', 'Connected clients.', [
      ...Object.entries(clients()).map(([transport, number]): Sample => ['', { transport }, number]),
    ]),
    family('process_resident_memory_bytes', 'gauge', 'Resident memory of this process.', [['', {}, rss]]),
    family('nodejs_heap_size_used_bytes', 'gauge', 'Used JavaScript heap.', [['', {}, heapUsed]]),
    family('process_cpu_seconds_total', 'counter', 'CPU time of this process.', [['', {}, (user + system) / 1e6]]),
    family('process_start_time_seconds', 'gauge', 'Start time of this process.', [['', {}, startedAt]]),
  ].join('');
}

function family(name: string, type: string, help: string, samples: readonly Sample[]): string {
  const lines = samples.map(([suffix, labels, value]) => `${name}${suffix}${labelled(labels)} ${value}`);
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...lines, ''].join('\n');
}

function labelled(labels: Labels): string {
  const written = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`);
  return written.length === 0 ? '' : `{${written.join(',')}}`;
}

/** Escapes a label value, so that it cannot end the quotes or the line. */
function escaped(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}

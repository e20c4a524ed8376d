import type { CallMetrics } from '../gateway/index.js';
import type { SharedPool } from '../upstream/index.js';

/** What `/metrics` tells about, none of which was named by a server or a client. */
export interface Measured {
  readonly version: string;
  readonly calls: CallMetrics;
  readonly pool: Pick<SharedPool, 'states'>;
  /** How many clients are here now, by the road they came. */
  readonly clients: () => Readonly<Record<string, number>>;
}

type Labels = Readonly<Record<string, string>>;
type Sample = readonly [suffix: string, labels: Labels, value: number];

const TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/** The answer of `/metrics`, in the text format of Prometheus. */
export function metricsResponse(measured: Measured): Response {
  return new Response(metricsText(measured), { headers: { 'content-type': TYPE } });
}

export function metricsText({ version, calls, pool, clients }: Measured): string {
  const { buckets, sum, count } = calls.durations;
  const { rss, heapUsed } = process.memoryUsage();
  const { user, system } = process.cpuUsage();
  const startedAt = Date.now() / 1_000 - process.uptime();
  return [
    family('portolan_build_info', 'gauge', 'The version that runs.', [['', { version }, 1]]),
    family('portolan_calls_total', 'counter', 'Calls of tools since the start.', [['', {}, count]]),
    family('portolan_call_errors_total', 'counter', 'Calls that failed, by the code of the error.', [
      ...[...calls.errors].map(([code, failed]): Sample => ['', { code }, failed]),
    ]),
    family('portolan_call_duration_seconds', 'histogram', 'How long calls took, waiting included.', [
      ...buckets.map((bucket): Sample => ['_bucket', { le: String(bucket.seconds) }, bucket.count]),
      ['_bucket', { le: '+Inf' }, count],
      ['_sum', {}, sum],
      ['_count', {}, count],
    ]),
    family('portolan_upstreams', 'gauge', 'Servers that were used, by what they do now.', [
      ...Object.entries(pool.states()).map(([state, number]): Sample => ['', { state }, number]),
    ]),
    family('portolan_clients', 'gauge', 'Clients that are connected.', [
      ...Object.entries(clients()).map(([transport, number]): Sample => ['', { transport }, number]),
    ]),
    family('process_resident_memory_bytes', 'gauge', 'Memory of this process.', [['', {}, rss]]),
    family('nodejs_heap_size_used_bytes', 'gauge', 'Of this, what the program itself uses.', [['', {}, heapUsed]]),
    family('process_cpu_seconds_total', 'counter', 'Time of the processor.', [['', {}, (user + system) / 1e6]]),
    family('process_start_time_seconds', 'gauge', 'When it was started.', [['', {}, startedAt]]),
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

/** As the format wants it: what is in quotes can end neither them nor the line. */
function escaped(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}

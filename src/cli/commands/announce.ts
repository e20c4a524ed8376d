import type { DiscoverOptions } from '../../discovery/index.js';
import {
  isFingerprint,
  launchFingerprint,
  type ServerInfo,
  ServerRegistry,
  serverId,
  TRANSPORTS,
} from '../../use-cases/index.js';
import { type Command, EXIT, flags, JSON_OPTIONS, usageError } from '../runtime/command.js';
import { shortPath, visible } from '../runtime/terminal-text.js';
import { registryPath } from './ps.js';

const OPTIONS = {
  name: { type: 'string', value: 'NAME', about: 'name of the server' },
  url: { type: 'string', value: 'URL', about: 'its URL: http, https, ws, wss or unix' },
  transport: { type: 'string', value: TRANSPORTS, about: 'its transport, if the URL does not imply it' },
  fingerprint: { type: 'string', value: 'HEX', about: 'the fingerprint of its entry in portolan list --json' },
  user: { type: 'boolean', about: 'announce it in every project of this user' },
  ...JSON_OPTIONS,
} as const;

/** The transport that a URL implies. */
const BY_PROTOCOL: Readonly<Record<string, (typeof TRANSPORTS)[number]>> = {
  'http:': 'http',
  'https:': 'http',
  'ws:': 'websocket',
  'wss:': 'websocket',
  'unix:': 'socket',
};
const DEFAULT_PORTS: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443 };

/** Announces a server of any language for as long as this process runs. */
export function announceCommand(machine: DiscoverOptions = {}, until: () => Promise<void> = endOfInput): Command {
  return {
    name: 'announce',
    group: 'Run and monitor',
    summary: 'register a running server until this command ends',
    usage: `portolan announce --name NAME --url URL [--transport ${TRANSPORTS.join('|')}] [--user] [--json] [--fingerprint HEX | -- COMMAND [ARG …]]`,
    options: OPTIONS,
    examples: [
      {
        line: 'portolan announce --name docs --url http://127.0.0.1:8080/mcp',
        does: 'announce it while this command runs',
      },
      {
        line: 'portolan announce --name docs --url http://127.0.0.1:8080/mcp -- node docs.js',
        does: 'also match entries with this command: clients use the running server instead',
      },
    ],
    async run(args, io) {
      const [own, command] = splitAtDashes(args);
      const { values } = flags(this, own, OPTIONS, { mostWords: 0 });
      const { name, url } = values;
      if (!name || !url) throw usageError(this, `needs ${name ? '--url' : '--name'}`);
      const fingerprint = fingerprintOf(values.fingerprint, command, this);
      const reached = toInfo({ name, url, transport: values.transport, self: this });
      const info = { ...reached, ...(fingerprint !== undefined && { fingerprint }) };
      const path = registryPath(machine, values.user === true);
      const id = serverId(name, process.pid);
      // Listen for signals before the entry exists, so that an early signal removes it, too.
      const ending = until();
      await using registry = new ServerRegistry(path, { warn: (message) => io.err(visible(message)) });
      await registry.registerServer(id, info);
      if (values.json) io.out(JSON.stringify({ id, path }));
      else
        io.out(
          `${id} is announced in ${shortPath(path, io.home)} until this command ends: by a signal, or when the pipe or terminal at its stdin closes.`,
        );
      await ending;
      return EXIT.ok;
    },
  };
}

/** Splits our own arguments from the command after `--`. */
function splitAtDashes(args: readonly string[]): [own: readonly string[], command: readonly string[]] {
  const end = args.indexOf('--');
  return end < 0 ? [args, []] : [args.slice(0, end), args.slice(end + 1)];
}

function fingerprintOf(hex: string | undefined, command: readonly string[], self: Command): string | undefined {
  if (hex === undefined) return command.length === 0 ? undefined : launchFingerprint(command);
  if (command.length > 0) throw usageError(self, 'takes --fingerprint or a command after --, not both');
  if (isFingerprint(hex)) return hex;
  throw usageError(self, 'needs 64 hexadecimal digits after --fingerprint, as portolan list --json prints them');
}

interface AnnounceFlags {
  readonly name: string;
  readonly url: string;
  readonly transport: string | undefined;
  readonly self: Command;
}

function toInfo({ name, url, transport, self }: AnnounceFlags): ServerInfo {
  const address = URL.canParse(url) ? new URL(url) : undefined;
  const usual = address && Object.hasOwn(BY_PROTOCOL, address.protocol) ? BY_PROTOCOL[address.protocol] : undefined;
  if (address === undefined || usual === undefined)
    throw usageError(self, `needs an http, https, ws, wss or unix URL after --url, not "${url}"`);
  const type = transport === undefined ? usual : TRANSPORTS.find((known) => known === transport);
  if (type === undefined)
    throw usageError(self, `needs one of ${TRANSPORTS.join(', ')} after --transport, not "${transport}"`);
  if (usual === 'socket') return { name, transports: [{ type, path: decodeURIComponent(address.pathname) }] };
  const { protocol, hostname, port, href } = address;
  const usualPort = DEFAULT_PORTS[protocol];
  return {
    name,
    transports: [{ type, url: href }],
    ...(usual === 'http' && {
      http: { enabled: true, host: hostname, port: port === '' ? (usualPort ?? 0) : Number(port), url: href },
    }),
  };
}

/** The end of stdin ends the command only for a pipe, socket or terminal: a file or /dev/null is at its end from the start. */
async function endOfInput(): Promise<void> {
  await new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => resolve());
    if (hasOtherEnd()) {
      process.stdin.on('end', resolve).on('close', resolve).on('error', resolve).resume();
      return;
    }
    // Signal listeners alone do not keep the process running.
    const waiting = setInterval(() => undefined, 2 ** 30);
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => clearInterval(waiting));
  });
  process.stdin.pause();
}

function hasOtherEnd(): boolean {
  if (process.stdin.isTTY) return true;
  try {
    const stdin = process.getBuiltinModule('node:fs').fstatSync(0);
    return stdin.isFIFO() || stdin.isSocket();
  } catch {
    return process.platform === 'win32';
  }
}

import { ErrorCode, PortolanError } from '../../base/index.js';
import type { DiscoverOptions } from '../../discovery/index.js';
import {
  isFingerprint,
  launchFingerprint,
  type ServerInfo,
  ServerRegistry,
  serverId,
  TRANSPORTS,
} from '../../use-cases/index.js';
import { type Command, EXIT, flags, JSON_OPTIONS } from '../runtime/command.js';
import { shortPath, visible } from '../runtime/terminal-text.js';
import { registryPath } from './ps.js';

const OPTIONS = {
  name: { type: 'string', value: 'NAME', about: 'what to call it' },
  url: { type: 'string', value: 'URL', about: 'where it is reached: http, ws or unix' },
  transport: { type: 'string', value: TRANSPORTS, about: 'how it is reached, if the address does not say' },
  fingerprint: { type: 'string', value: 'HEX', about: 'of its entry in `portolan list --json`, if it came from one' },
  user: { type: 'boolean', about: 'for every project of this user, not only this one' },
  ...JSON_OPTIONS,
} as const;

/** How a server is reached where only its address is said. */
const BY_PROTOCOL: Readonly<Record<string, (typeof TRANSPORTS)[number]>> = {
  'http:': 'http',
  'https:': 'http',
  'ws:': 'websocket',
  'wss:': 'websocket',
  'unix:': 'socket',
};
const DEFAULT_PORTS: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443 };

/** For programs in any language: the server is announced for as long as this process is there. */
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
        does: 'for as long as this command runs',
      },
      {
        line: 'portolan announce --name docs --url http://127.0.0.1:8080/mcp -- node docs.js',
        does: 'and who has `node docs.js` written down, and approves of this one, need not start it again',
      },
    ],
    async run(args, io) {
      const [own, command] = apart(args);
      const { values } = flags(this, own, OPTIONS, { mostWords: 0 });
      const { name, url } = values;
      if (!name || !url) throw wrong(`announce needs ${name ? '--url' : '--name'}`, this.usage);
      const fingerprint = fingerprintOf(values.fingerprint, command, this.usage);
      const reached = toInfo({ name, url, transport: values.transport, usage: this.usage });
      const info = { ...reached, ...(fingerprint !== undefined && { fingerprint }) };
      const path = registryPath(machine, values.user === true);
      const id = serverId(name, process.pid);
      // Listening before the entry is there: who is told to end at once withdraws it all the same.
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

/** What stands before `--` is ours, what follows is the program that was started. */
function apart(args: readonly string[]): [own: readonly string[], command: readonly string[]] {
  const end = args.indexOf('--');
  return end < 0 ? [args, []] : [args.slice(0, end), args.slice(end + 1)];
}

function fingerprintOf(said: string | undefined, command: readonly string[], usage: string): string | undefined {
  if (said === undefined) return command.length === 0 ? undefined : launchFingerprint(command);
  if (command.length > 0) throw wrong('a command and its --fingerprint say the same twice', usage);
  if (isFingerprint(said)) return said;
  throw wrong('--fingerprint is none: it has 64 digits, as in `portolan list --json`', usage);
}

interface Said {
  readonly name: string;
  readonly url: string;
  readonly transport: string | undefined;
  readonly usage: string;
}

function toInfo({ name, url, transport, usage }: Said): ServerInfo {
  const address = URL.canParse(url) ? new URL(url) : undefined;
  const usual = address && Object.hasOwn(BY_PROTOCOL, address.protocol) ? BY_PROTOCOL[address.protocol] : undefined;
  if (address === undefined || usual === undefined) throw wrong(`--url ${url} is no address of a server`, usage);
  const type = transport === undefined ? usual : TRANSPORTS.find((known) => known === transport);
  if (type === undefined) throw wrong(`there is no transport ${transport}`, usage);
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

function wrong(message: string, usage: string): PortolanError {
  return new PortolanError(ErrorCode.Usage, message, { hint: `usage: ${usage}` });
}

/** Stdin counts only where somebody is at its other end: one that is a file or nothing (`</dev/null`, a service) is at its end from the start. */
async function endOfInput(): Promise<void> {
  await new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => resolve());
    if (hasOtherEnd()) {
      process.stdin.on('end', resolve).on('close', resolve).on('error', resolve).resume();
      return;
    }
    // Signals alone do not keep a process.
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

import { shellWord } from '../../base/index.js';
import type { DiscoverOptions } from '../../discovery/index.js';
import { addServer, type NewServer } from '../../use-cases/index.js';
import { type Command, EXIT, flags, JSON_OPTIONS, usageError } from '../runtime/command.js';
import { changeLines, changeOf } from '../runtime/edit-report.js';
import { notesFor, SCOPE_OPTION, scopeOf } from '../runtime/server-scope.js';
import { visible } from '../runtime/terminal-text.js';

const OPTIONS = {
  ...JSON_OPTIONS,
  ...SCOPE_OPTION,
  force: { type: 'boolean', about: 'replace an existing entry of this name' },
  url: { type: 'string', value: 'ADDRESS', about: 'URL of a remote server' },
  env: { type: 'string', value: 'NAME=VALUE', multiple: true, about: 'environment variable of the server' },
  header: { type: 'string', value: '"NAME: VALUE"', multiple: true, about: 'HTTP header to send with every request' },
} as const;

export function addCommand(machine: DiscoverOptions = {}): Command {
  return {
    name: 'add',
    group: 'Set up clients',
    summary: "add a server to Portolan's own file or to .mcp.json",
    usage:
      'portolan add <name> [--scope user|project] [--env NAME=value]… [--force] [--json] -- <command> [argument]…\n' +
      '       portolan add <name> --url <address> [--scope user|project] [--header "Name: value"]… [--force] [--json]',
    options: OPTIONS,
    examples: [
      {
        line: 'portolan add notes --env NOTES_FILE=notes.json -- node notes.js',
        does: 'a local server, started with this command',
      },
      { line: 'portolan add docs --url https://docs.example/mcp', does: 'a remote server' },
      {
        line: 'portolan add docs --scope project --url https://docs.example/mcp',
        does: 'a remote server for everyone in this project',
      },
    ],
    async run(args, io) {
      const { values, positionals } = flags(this, args, OPTIONS);
      const server = newServer(namedWords(positionals, args), values, this);
      const scope = scopeOf(values.scope, this);
      const file = await addServer(server, { ...machine, scope, force: values.force === true });
      const notes = scope === 'project' ? notesFor(server.name, server.entry) : [];
      if (values.json) {
        const more = scope === 'project' ? { scope, notes } : {};
        io.out(JSON.stringify({ name: server.name, ...changeOf(file), ...more }, null, 2));
        return EXIT.ok;
      }
      const lines = [
        `Added ${visible(server.name)}.`,
        ...changeLines(file, io),
        ...notes.map((note) => `  ${visible(note)}`),
        ...(scope === 'project' ? [] : [nextLine(server.name)]),
      ];
      for (const line of lines) io.out(line);
      return EXIT.ok;
    },
  };
}

function nextLine(name: string): string {
  const tools = `portolan tools ${visible(shellWord(name))}`;
  return `Next: add Portolan to your AI clients with portolan install, or try the server here: ${tools}`;
}

/** The words after `--` are the command, so a name must be before it. */
function namedWords(words: readonly string[], args: readonly string[]): readonly string[] {
  const cut = args.indexOf('--');
  const isNamed = cut < 0 || words.length > args.length - cut - 1;
  return isNamed ? words : [];
}

interface Given {
  readonly url?: string;
  readonly env?: readonly string[];
  readonly header?: readonly string[];
}

function newServer([name, command, ...args]: readonly string[], { url, env, header }: Given, self: Command): NewServer {
  const wrong = (what: string) => usageError(self, what);
  if (name === undefined) throw wrong('needs a name for the server');
  if ((command === undefined) === (url === undefined)) {
    throw wrong(
      url === undefined ? `needs a command after --, or a --url, for "${name}"` : 'takes a command or --url, not both',
    );
  }
  if (url !== undefined && env) throw wrong('takes --env only with a command: a remote server has no environment');
  if (command !== undefined && header)
    throw wrong('takes --header only with --url: a local server has no HTTP headers');
  if (command !== undefined) return { name, entry: { command, args, ...(env && { env: pairs(env, /=/, wrong) }) } };
  const transport = /^(?:https?|(wss?)):\/\//i.exec(url ?? '');
  if (!transport) throw wrong('needs a --url that begins with https://, http://, wss:// or ws://');
  return {
    name,
    entry: {
      type: transport[1] === undefined ? 'http' : 'ws',
      url: url ?? '',
      ...(header && { headers: pairs(header, /\s*[:=]\s*/, wrong) }),
    },
  };
}

function pairs(texts: readonly string[], sign: RegExp, wrong: (what: string) => Error): Record<string, string> {
  return Object.fromEntries(
    texts.map((text) => {
      const [found = ''] = sign.exec(text) ?? [];
      const at = text.indexOf(found);
      // The argument may contain a secret, so the error does not repeat it.
      if (found === '' || at === 0) throw wrong('needs NAME=value after --env, and "Name: value" after --header');
      return [text.slice(0, at), text.slice(at + found.length)];
    }),
  );
}

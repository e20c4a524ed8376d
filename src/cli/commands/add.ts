import { ErrorCode, PortolanError } from '../../base/index.js';
import type { DiscoverOptions } from '../../discovery/index.js';
import { addServer, type NewServer } from '../../use-cases/index.js';
import { type Command, EXIT, flags, JSON_OPTIONS } from '../runtime/command.js';
import { changeLines, changeOf } from '../runtime/edit-report.js';
import { notesFor, SCOPE_OPTION, scopeOf } from '../runtime/server-scope.js';
import { visible } from '../runtime/terminal-text.js';

const OPTIONS = {
  ...JSON_OPTIONS,
  ...SCOPE_OPTION,
  force: { type: 'boolean', about: 'replace an entry of that name' },
  url: { type: 'string', value: 'ADDRESS', about: 'where the server is, if it is not started' },
  env: { type: 'string', value: 'NAME=VALUE', multiple: true, about: 'a variable for the program' },
  header: { type: 'string', value: '"NAME: VALUE"', multiple: true, about: 'a header for every request' },
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
      { line: 'portolan add notes --env NOTES_FILE=notes.json -- node notes.js', does: 'a program that is started' },
      { line: 'portolan add docs --url https://docs.example/mcp', does: 'a server somewhere else' },
      {
        line: 'portolan add docs --scope project --url https://docs.example/mcp',
        does: 'for everyone in this project',
      },
    ],
    async run(args, io) {
      const { values, positionals } = flags(this, args, OPTIONS);
      const server = newServer(namedWords(positionals, args), values, this.usage);
      const scope = scopeOf(values.scope, this.usage);
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
      ];
      for (const line of lines) io.out(line);
      return EXIT.ok;
    },
  };
}

/** What follows `--` is the command: the name stands before it, and where none does there is none. */
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

function newServer([name, command, ...args]: readonly string[], { url, env, header }: Given, usage: string): NewServer {
  const wrong = (message: string) => new PortolanError(ErrorCode.Usage, message, { hint: `usage: ${usage}` });
  if (name === undefined) throw wrong('add which server?');
  if ((command === undefined) === (url === undefined)) {
    throw wrong(url === undefined ? `what does ${name} start, or where is it?` : 'a server has a command or a --url');
  }
  if (url !== undefined && env) throw wrong('--env is for a program that is started');
  if (command !== undefined && header) throw wrong('--header is for a server at a --url');
  if (command !== undefined) return { name, entry: { command, args, ...(env && { env: pairs(env, /=/, wrong) }) } };
  const transport = /^(?:https?|(wss?)):\/\//i.exec(url ?? '');
  if (!transport) throw wrong('--url takes an address that begins with https://, http:// or wss://');
  return {
    name,
    entry: {
      type: transport[1] === undefined ? 'http' : 'ws',
      url: url ?? '',
      ...(header && { headers: pairs(header, /\s*[:=]\s*/, wrong) }),
    },
  };
}

function pairs(
  texts: readonly string[],
  sign: RegExp,
  wrong: (message: string) => PortolanError,
): Record<string, string> {
  return Object.fromEntries(
    texts.map((text) => {
      const [found = ''] = sign.exec(text) ?? [];
      const at = text.indexOf(found);
      // The whole argument may be a secret: what is wrong with it has to be said without it.
      if (found === '' || at === 0) throw wrong('--env takes NAME=value, and --header "Name: value"');
      return [text.slice(0, at), text.slice(at + found.length)];
    }),
  );
}

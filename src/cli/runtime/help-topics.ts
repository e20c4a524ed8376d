/** A page about one thing that several commands share. */
export interface Topic {
  readonly name: string;
  readonly summary: string;
  readonly text: string;
}

/** Every page of `portolan help <topic>`, in the order in which a newcomer would read them. */
export const TOPICS: readonly Topic[] = [
  {
    name: 'sources',
    summary: 'where servers are found',
    text: `
Portolan reads the files in which AI clients have written servers down, each by
the rules of its own client. Nothing that is found is executed, not even to list
it. Read first, in this order:

  ~/MCPs/*.json
  ~/.config/mcp/servers/*.json
  ./mcp-servers/*.json
  ./.vscode/mcp.json
  ~/.claude.json, also its entries for this folder
  ~/.cursor/mcp.json
  ~/.opencode.json
  ~/.codeium/windsurf/mcp_config.json

then every other client, servers that run and have announced themselves, and
~/.config/portolan/servers.json, which belongs to Portolan. portolan add writes
this file, or with --scope project the .mcp.json of the project.

  portolan config sources           every place, and what was there
  portolan config sources --found   only those where something is
  portolan doctor                   what is wrong with them

MCP_SERVERS_CONFIG=<file or folder>, or --config, reads that one place instead.`,
  },
  {
    name: 'scopes',
    summary: 'which of several definitions of a server holds',
    text: `
Within one client the nearer definition of a name holds, lowest first:

  running    announced itself, and says so only of itself
  claudeai   hosted by the vendor of the client
  plugin     brought by a plugin
  user       in your home
  project    in the repository
  local      yours, for this project alone
  dynamic    named on the command line with --server; for every client
  managed    written by an administrator; for every client

The same server in several clients is one server with several origins. Different
servers under one name are both kept, the second as name_2.

A managed-mcp.json takes exclusive control: nothing else counts, and one that does
not parse switches everything off. It lies in /etc/portolan, in
/Library/Application Support/Portolan or in %ProgramData%\\Portolan.

  portolan why github               every definition of it, and which holds`,
  },
  {
    name: 'approval',
    summary: 'what waits for you, and how to decide',
    text: `
Servers in your own files run as they do in their clients. What a repository
brings waits until a person says yes, and so does a server that only announced
itself.

  portolan approve                  what waits, and what each would run
  portolan approve reports          look, and decide
  portolan deny reports             no, until it changes
  portolan lock                     what you approved, for your team to review

An approval is bound to a hash over command, arguments, environment, folder,
address and headers, and sealed with a key of yours: one changed byte asks again
and shows what changed. The name counts for nothing. A lock file in the repository
changes the words of the question and approves nothing by itself.

It also covers the content of the env file, of the headers helper and of every
project file that the command line names. They are read again before each start.
Not covered: what these files import, and what the command downloads.

  "approval": { "files": "ask" }    a changed file needs a new approval (default)
  "approval": { "files": "warn" }   it is started, and doctor reports the change
  "approval": { "files": "off" }    files are not read

A client that can be asked is asked when a call needs a server that waits;
"elicitation": false in the settings switches that off. "approval": "all" lets
your own servers wait too.

A tool whose definition changes after it was first seen is marked; with
"pins": "enforce" it is held until portolan approve <server>.`,
  },
  {
    name: 'policy',
    summary: 'rules about servers and tools',
    text: `
Rules stand in the settings, ours or Claude Code's:

  "deniedMcpServers": [{ "serverUrl": "https://*.evil.example" }]
  "allowedMcpServers": [{ "serverName": "github" }]
  "allowManagedMcpServersOnly": true
  "pluginOnly": true

Deny beats allow; an empty allow list allows nothing. A rule names a server by
serverName, serverCommand (a list of words) or serverUrl, with * for anything.

Tools are enabled, disabled and tagged by pattern, in any order:

  "toolRules": [
    { "pattern": ["*delete*"], "server": "github", "enabled": false },
    { "pattern": ["*github*"], "enabled": true, "tags": ["github"] }
  ]

Any matching rule with "enabled": false disables the tool.
Otherwise any matching rule with "enabled": true enables it.
Otherwise "toolDefault" decides, which is "enabled" if it is not set.
Tags are the union of all matching rules.

A pattern is matched against the tool name, server/tool and the server name.
A pattern with ! excludes if any of the three matches. It is a glob such as
"*issue*" or an expression such as "/issue/i". "server" limits a rule to servers.
"toolDefault": "disabled" makes the rules an allow-list. An allow-list in managed
settings cannot be extended by users or projects.

  portolan why github               which rule blocks it
  portolan tools github --all       what is switched off
  portolan config show              every rule, and where it was written`,
  },
  {
    name: 'settings',
    summary: 'what can be set, and where',
    text: `
portolan.config.{ts,mts,js,mjs,json} in the project or in ~/.config/portolan/. A
folder without one may have anygpt.config.{ts,json}, in which keys of other
programs are ignored. In both, enabled, cache, sources and toolRules may also be
inside the wrapper {"discovery": {…}}. A project's file may only narrow until you
approve it (portolan approve --settings), and its code is not run before that. An
administrator's managed-settings.json is above all.

  enabled                     false switches everything off
  approval, elicitation, pins what waits, and who may be asked
  approvalFiles               what a changed file leads to: portolan help approval
  allowedMcpServers, deniedMcpServers, allowManagedMcpServersOnly, pluginOnly
                              rules about servers: portolan help policy
  toolRules, toolDefault      rules about tools: portolan help policy
  sources                     more places to read servers from
  connectors, connectorsUrl   servers hosted by a vendor
  cache                       whether and for how long tool lists are kept
  timeouts                    startMs, callMs, totalMs, idleMs, searchMs,
                              daemonIdleMs, shutdownMs
  limits                      sizes, calls at once, calls a minute
  search                      remember: whether use improves the ranking
  sandbox                     what Python runs in: portolan help python
  share, mcpBridge, client    one gateway for every client: portolan help daemon
  http                        allowedHosts, for serve --http
  passEnv                     variables of yours that servers get

  portolan config show              every setting, its value, and its origin: file
                                    and line, variable or default
  portolan config validate          ends with 2 if a file is wrong`,
  },
  {
    name: 'python',
    summary: 'programs over tools, and what they run in',
    text: `
The tool run_python runs a program that an agent has written. In it, every server
that may run is an object, and every tool a function:

  orders = (await mcp_orders.list_orders(status="open"))["orders"]
  forecast = await mcp_weather.get_forecast(city=orders[0]["city"])

With any await the calls are awaitable and asyncio.gather runs them at the same
time; without, they block. Policy, approval, limits and the record of calls are
those of any other call. import mcp.runtime has the search and the documentation
of tools, and memories that are kept for the project.

The program runs in a sandbox, "sandbox": { "engine": … } in the settings:

  auto      the best that works here
  bwrap     CPython in bubblewrap: no network, no files of yours, limits that the
            kernel holds (Linux)
  pyodide   CPython compiled to WebAssembly, in a process of its own
  deno      the same in Deno, without any permission
  podman, docker   a container without network; only if you ask for it
  off       no run_python

  portolan doctor                   which of them work here, and why not`,
  },
  {
    name: 'daemon',
    summary: 'one gateway for every client',
    text: `
What a client starts is a thin pipe to one gateway that serves every client of
this user, so that each server runs once for everybody. The first client starts
it; it ends when nobody has needed it for a while (timeouts.daemonIdleMs).

  --daemon auto      use it, start it if there is none, serve alone if that fails;
                     this is what happens where nothing is said
  --daemon require   use it, or fail at once and name the command that starts it
  --daemon never     serve alone; so does "mcpBridge": { "autoConnect": false }

PORTOLAN_DAEMON says the same for every start. Where a client works, and what was
approved there, travels with the client. "share" in the settings says for a
server whether one process is for the machine, the workspace or the session.

  portolan daemon status            whether it runs, and where it listens
  portolan clients                  who is connected
  portolan ps                       which servers run
  portolan daemon stop              calls that are under way are finished first`,
  },
  {
    name: 'environment',
    summary: 'variables that count',
    text: `
  MCP_SERVERS_CONFIG        read this file or folder instead of every client
  MCP_BRIDGE_SOCKET         the socket of the daemon
  MCP_BRIDGE_LEGACY_LINK    its link to that socket, if not /tmp/mcp-bridge.sock
  MCP_CLIENT_ID             the name of this client among those of the daemon
  PORTOLAN_DAEMON           auto, require or never: portolan help daemon
  PORTOLAN_TOKEN            what clients of serve --http have to show
  PORTOLAN_CONNECTORS_TOKEN the token for servers hosted by a vendor
  PORTOLAN_LOG              debug, info, warn or error: what is said on stderr
  PORTOLAN_ENABLED, PORTOLAN_APPROVAL, PORTOLAN_CACHE_TTL,
  PORTOLAN_TIMEOUTS_CALL_MS, PORTOLAN_TIMEOUTS_SHUTDOWN_MS,
  PORTOLAN_LIMITS_QUEUE and so on
                            single settings, named as in the file
  NO_COLOR                  plain text, also on a terminal
  XDG_CONFIG_HOME, XDG_CACHE_HOME, XDG_STATE_HOME, XDG_RUNTIME_DIR
                            where Portolan keeps its own files

A server gets its own variables and a short list of others (PATH, HOME, locale,
proxies), never those above; passEnv in the settings adds to the list.`,
  },
  {
    name: 'exit-codes',
    summary: 'what a command ends with',
    text: `
  0   done
  1   it was understood, and something is wrong: a server did not start, a tool
      failed, doctor found an error, somebody said no
  2   it could not be done as asked: a flag, a name or a settings file is wrong,
      or a file would not take the change; nothing was changed
  3   it takes a person at a terminal, and there is none
130   search, tools, inspect, call or python was ended by Ctrl-C (143: SIGTERM);
      what ran was cancelled, and servers are stopped

portolan call ends with 0 or 1 for everything that happens to the call, and says
{success, result} or {success, error} with --json, so that a script has one thing
to look at; arguments that cannot be read are part of the call. Only a command
line without a server and a tool, with a flag that call does not have, or with
--args and key=value at once is 2. portolan serve ends with 0 when its client
leaves.`,
  },
];

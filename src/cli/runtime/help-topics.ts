/** A page about a subject that concerns several commands. */
export interface Topic {
  readonly name: string;
  readonly summary: string;
  readonly text: string;
}

/** Every page of `portolan help <topic>`, in reading order. */
export const TOPICS: readonly Topic[] = [
  {
    name: 'sources',
    summary: 'where servers are found',
    text: `
Portolan reads the files in which AI clients define servers, each by the rules of
its client. It executes nothing to list servers. It reads these files first:

  ~/MCPs/*.json
  ~/.config/mcp/servers/*.json
  ./mcp-servers/*.json
  ./.vscode/mcp.json
  ~/.claude.json, also its entries for this directory
  ~/.cursor/mcp.json
  ~/.opencode.json
  ~/.codeium/windsurf/mcp_config.json

Then come the files of all other clients, running servers that have announced
themselves, and Portolan's own file, ~/.config/portolan/servers.json. portolan add
writes this file, or the project's .mcp.json with --scope project.

  portolan config sources           every place, and what was found there
  portolan config sources --found   only places where something was found
  portolan doctor                   problems in these files

MCP_SERVERS_CONFIG=<file or directory>, or --config, reads only that place.`,
  },
  {
    name: 'scopes',
    summary: 'which of several definitions of a server is active',
    text: `
If a client defines a name in several scopes, the scope with the highest precedence
is active. From the lowest to the highest:

  running    a running server that announced itself
  claudeai   hosted by the vendor of the client
  plugin     installed by a plugin of the client
  user       in your home directory
  project    in the repository
  local      yours, for this project only
  dynamic    named on the command line with --server; for every client
  managed    written by an administrator; for every client

The same server in several clients is one server with several origins. Different
servers with the same name are both kept, the second as name_2.

A managed-mcp.json has exclusive control: all other definitions are ignored. If it
does not parse, no server runs. It is in /etc/portolan,
/Library/Application Support/Portolan or %ProgramData%\\Portolan.

  portolan why github               its definitions, and which one is active`,
  },
  {
    name: 'approval',
    summary: 'which servers wait for approval, and how to decide',
    text: `
Servers in your own files may run at once. A server that is defined in a repository
waits until you approve it, and so does a server that only announced itself.

  portolan approve                  list the servers that wait, and their commands
  portolan approve reports          show one server and ask for a decision
  portolan deny reports             stop it from running until it changes
  portolan lock                     write your approvals for your team to review

An approval applies to a hash of command, arguments, environment, directory, URL and
headers, and is signed with your key. If any of them changes, Portolan shows the
change and asks again. The name is not part of the hash. A lock file in the
repository adds a note to the question and approves nothing.

The hash also covers the env file, the headers helper and every project file on the
command line; they are checked before each start. It does not cover what these
files import and what the command downloads.

  "approvalFiles": "ask"            a changed file needs a new approval (default)
  "approvalFiles": "warn"           the server starts, and doctor reports the change
  "approvalFiles": "off"            files are not checked

If a call needs a server that waits, Portolan asks you through a client that
supports it. "elicitation": false in the settings turns this off. With
"approval": "all", the servers in your own files wait, too.

A tool is marked if its definition changes after it was first seen. With
"pins": "enforce", it is disabled until you run portolan approve <server>.`,
  },
  {
    name: 'policy',
    summary: 'rules about servers and tools',
    text: `
Rules are in the settings of Portolan or of Claude Code:

  "deniedMcpServers": [{ "serverUrl": "https://*.evil.example" }]
  "allowedMcpServers": [{ "serverName": "github" }]
  "allowManagedMcpServersOnly": true
  "pluginOnly": true

Deny has precedence over allow. An empty allow list allows nothing. A rule matches
serverName, serverCommand (a list of words) or serverUrl; * matches any text.

Tool rules enable, disable and tag tools; their order does not matter:

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

  portolan why github               the rule that blocks a server
  portolan tools github --all       all tools, also disabled ones
  portolan config show              every rule, with file and line`,
  },
  {
    name: 'settings',
    summary: 'all settings, and the files that contain them',
    text: `
Settings are read from portolan.config.{ts,mts,js,mjs,json} in the project and in
~/.config/portolan/. A directory without that file may have anygpt.config.{ts,json},
in which keys of other programs are ignored. In both, enabled, cache, sources and
toolRules may also be inside {"discovery": {…}}. Until you approve a project's file
(portolan approve --settings), it can only restrict, and its code does not run. An
administrator's managed-settings.json has the highest precedence.

  enabled                     false turns Portolan off
  approval, approvalFiles, elicitation, pins
                              which servers and tools wait: portolan help approval
  allowedMcpServers, deniedMcpServers, allowManagedMcpServersOnly, pluginOnly
                              rules about servers: portolan help policy
  toolRules, toolDefault      rules about tools: portolan help policy
  sources                     more places to read servers from
  connectors, connectorsUrl   servers hosted by a vendor
  cache                       whether and how long lists of tools are cached
  timeouts                    startMs, installMs, startWaitMs, callMs, totalMs,
                              idleMs, searchMs, daemonIdleMs, shutdownMs
  startTimeouts               the start timeout of single servers
  limits                      sizes, concurrent calls, calls per minute
  correctArguments            correct arguments that have one possible meaning
  search                      remember: whether usage changes the ranking
  sandbox                     engine and limits of programs: portolan help python
  share, mcpBridge, client    the shared gateway: portolan help daemon
  http                        allowedHosts, for serve --http
  passEnv                     environment variables that servers receive

  portolan config show              every setting with its value and its origin:
                                    file and line, variable or default
  portolan config validate          check the files; exits with 2 on an error`,
  },
  {
    name: 'python',
    summary: 'programs that call tools, and their sandbox',
    text: `
The tool run_python runs a program that an agent has written. In the program, each
server that may run is an object, and each tool is a function:

  orders = (await mcp_orders.list_orders(status="open"))["orders"]
  forecast = await mcp_weather.get_forecast(city=orders[0]["city"])

If the program contains await, calls are awaitable and asyncio.gather runs them
concurrently; otherwise they block. Policy, approval, limits and the audit log apply
as to any other call. The module mcp.runtime searches and documents tools, and
stores values for the project.

The program runs in a sandbox, "sandbox": { "engine": … } in the settings:

  auto      the best engine that works on this machine
  bwrap     CPython in bubblewrap: no network, none of your files, limits enforced
            by the kernel (Linux)
  pyodide   CPython compiled to WebAssembly, in a separate process
  deno      the same in Deno, without permissions
  podman, docker   a container without network; never chosen by auto
  off       run_python is not offered

  portolan doctor                   the engines that work here, and why others fail`,
  },
  {
    name: 'daemon',
    summary: 'the background process that serves all clients',
    text: `
A client starts a small process that forwards to one gateway, the daemon. The daemon
serves all clients of this user, so that each server runs only once. The first
client starts it. It exits after it was idle for timeouts.daemonIdleMs.
portolan search, tools, inspect, call and python use it in the same way, and take
the same flag; list, why, doctor and config start nothing.

  --daemon auto      connect to the daemon and start it if necessary; serve without
                     it if that fails (default)
  --daemon require   connect to the daemon, or fail and name the start command
  --daemon never     serve without it, as with "mcpBridge": { "autoConnect": false }

PORTOLAN_DAEMON sets the same for every start. Each client keeps its own directory and
the approvals for it. The setting "share" decides for a server whether the machine,
the workspace or the session has one process.

  portolan daemon status            whether the daemon runs, and its addresses
  portolan clients                  the connected clients
  portolan ps                       the running servers
  portolan daemon stop              stop it after calls in progress have finished
  portolan daemon stop --force      also kill it and its servers if it does not respond`,
  },
  {
    name: 'environment',
    summary: 'environment variables that Portolan reads',
    text: `
  MCP_SERVERS_CONFIG        read this file or directory instead of every client
  MCP_BRIDGE_SOCKET         the socket of the daemon
  MCP_BRIDGE_LEGACY_LINK    link to that socket, instead of /tmp/mcp-bridge.sock
  MCP_CLIENT_ID             the name of this client in portolan clients
  PORTOLAN_DAEMON           auto, require or never: portolan help daemon
  PORTOLAN_TOKEN            the bearer token that serve --http requires
  PORTOLAN_CONNECTORS_TOKEN the token for servers hosted by a vendor
  PORTOLAN_SECRETS          file: portolan set uses an encrypted file, not the key store
  PORTOLAN_LOG              log level on stderr: debug, info, warn or error
  PORTOLAN_ENABLED, PORTOLAN_APPROVAL, PORTOLAN_CACHE_TTL,
  PORTOLAN_TIMEOUTS_CALL_MS, PORTOLAN_TIMEOUTS_SHUTDOWN_MS,
  PORTOLAN_LIMITS_QUEUE and so on
                            single settings, named as in the settings file
  NO_COLOR                  no colours on a terminal
  XDG_CONFIG_HOME, XDG_CACHE_HOME, XDG_STATE_HOME, XDG_RUNTIME_DIR
                            directories of Portolan's own files

A server receives the variables of its entry and a short list of others (PATH,
HOME, locale, proxies), but none of the above. The setting passEnv adds to the list.`,
  },
  {
    name: 'exit-codes',
    summary: 'the exit codes of all commands',
    text: `
  0   success
  1   the operation failed or was declined: a server did not start, a tool failed,
      doctor found an error, you answered no
  2   the command was not run: a flag, a name or a settings file is wrong, or a file
      could not be edited; nothing was changed
  3   a terminal is needed, and there is none
130   search, tools, inspect, call or python was ended by Ctrl-C (143: SIGTERM);
      the call is cancelled, and the servers are stopped

portolan call exits with 0 or 1 for every outcome of the call, also if its arguments
do not parse, and with --json prints {success, result} or {success, error}. It exits
with 2 only if the server or the tool is missing, a flag is unknown, or --args and
key=value are used together. portolan serve exits with 0 when its client
disconnects.`,
  },
];

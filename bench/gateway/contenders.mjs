// The contenders: how each is started for given servers (`launch`), the form of a call to it, and whether it serves one
// server or many. `known` returns how many servers' tools it knows by now, for contenders that read tools after their
// first response; those that keep them after an exit say so. Contenders with a `port` listen there for Streamable HTTP;
// all others use their pipes.
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { freePort } from './http-client.mjs';
import { BARE_PROXY, PORTOLAN } from './servers.mjs';

const only = (servers) => Object.values(servers)[0];
const node = process.execPath;
const plainCall = (_server, name, args) => ({ name, arguments: args });

export const direct = { name: 'direct', before: 'one', launch: only, call: plainCall };

export const bareProxy = {
  name: 'bare proxy',
  before: 'one',
  launch(servers) {
    const { command, args } = only(servers);
    return { command: node, args: [BARE_PROXY, command, ...args] };
  },
  call: plainCall,
};

/** A build of Portolan; several can be compared in one run. */
export const portolanAt = (name, program) => ({
  name,
  before: 'many',
  problem: existsSync(program) ? undefined : `${program} is not built`,
  launch(servers, home) {
    writeServers(join(home, '.cursor', 'mcp.json'), servers);
    return { command: node, args: [program, 'serve'] };
  },
  call: (server, tool, args) => ({ name: 'execute_tool', arguments: { server, tool, arguments: args } }),
  find: (words) => ({ name: 'search_tools', arguments: { query: words } }),
  known: { ask: { name: 'list_mcp_servers', arguments: {} }, count: (text) => text.split('"toolCount"').length - 1 },
  remembers: true,
  // Its rate limit would refuse a thousand calls in a tenth of a second.
  unlimited: { PORTOLAN_LIMITS_RATE_PER_MINUTE: '1000000000' },
});

const hub = {
  name: 'mcp-hub-mcp',
  before: 'many',
  launch(servers, home, script) {
    const config = join(home, 'mcp.json');
    writeServers(config, servers);
    return { command: node, args: [script, '--config-path', config] };
  },
  call: (serverName, toolName, toolArgs) => ({ name: 'call-tool', arguments: { serverName, toolName, toolArgs } }),
  find: (words) => ({ name: 'find-tools', arguments: { pattern: words.split(' ').join('|') } }),
  known: { ask: { name: 'list-all-tools', arguments: {} }, count: (text) => (text.match(/^ {2}"/gm) ?? []).length },
};

const proxy = {
  name: 'mcp-proxy',
  before: 'one',
  async launch(servers, _home, script) {
    const { command, args } = only(servers);
    const port = await freePort();
    const own = ['--host', '127.0.0.1', '--port', String(port), '--server', 'stream'];
    return { command: node, args: [script, ...own, '--', command, ...args], port };
  },
  call: plainCall,
};

const supergateway = {
  name: 'supergateway',
  before: 'one',
  async launch(servers, _home, script) {
    const { command, args } = only(servers);
    const port = await freePort();
    // Stateful, because without sessions it starts a server for each call; quiet, because its log would be measured.
    const own = ['--outputTransport', 'streamableHttp', '--stateful', '--port', String(port), '--logLevel', 'none'];
    const line = [command, ...args].map((word) => JSON.stringify(word)).join(' ');
    return { command: node, args: [script, ...own, '--stdio', line], port };
  },
  call: plainCall,
};

/** All contenders in the order of the table; a peer that could not be installed has the reason under `problem`. */
export function contenders(peers) {
  const installed = [hub, proxy, supergateway].map((contender) => {
    const { script, version, problem } = peers[contender.name] ?? { problem: 'left out' };
    return { ...contender, version, problem, launch: (servers, home) => contender.launch(servers, home, script) };
  });
  return [direct, bareProxy, portolanAt('portolan', PORTOLAN), ...installed];
}

function writeServers(path, mcpServers) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, JSON.stringify({ mcpServers }));
}

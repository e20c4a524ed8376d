// Measures a call through pipe and daemon and a direct call, in the same way as the calls of the gateway, with the
// client that most programs use. Two proxies that only forward are measured too: they show the cost of any two
// processes between client and server.
import { join } from 'node:path';
import { contenders } from '../gateway/contenders.mjs';
import { measureCalls } from '../gateway/measure-calls.mjs';
import { SdkClient } from '../gateway/sdk-client.mjs';
import { BARE_PROXY, PORTOLAN } from '../gateway/servers.mjs';

const node = process.execPath;

/** p50 in ms of each: `direct`, `proxies` and `daemon`. */
export async function callsThroughDaemon(server, sizes, folder, notes) {
  const [direct, , portolan] = contenders({});
  const proxies = {
    ...direct,
    name: 'proxies',
    launch: ({ target: { command, args } }) => ({
      command: node,
      args: [BARE_PROXY, node, BARE_PROXY, command, ...args],
    }),
  };
  const daemon = {
    ...portolan,
    name: 'daemon',
    launch: (servers, home) => ({ ...portolan.launch(servers, home), args: [PORTOLAN] }),
    unlimited: { ...portolan.unlimited, PORTOLAN_DAEMON: 'auto', MCP_BRIDGE_SOCKET: join(folder, 'calls.sock') },
  };
  const client = (launch, place) => new SdkClient(launch, place);
  const taken = await measureCalls([direct, proxies, daemon], server, { ...sizes, tool: 'echo', client }, notes);
  return Object.fromEntries([...taken].map(([name, { p50 }]) => [name, p50]));
}

// A call through pipe and daemon beside a direct one, taken in the same way as the gateway's own calls, with the client that
// most programs have. Two proxies that only forward stand beside it: what any two processes in the way cost.
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

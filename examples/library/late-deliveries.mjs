// A program that uses Portolan as a library: it prints the open orders that rain may delay.
// Run it in the root of a built clone: node examples/library/late-deliveries.mjs
import { openGateway } from 'portolan';

const MUCH_RAIN_MM = 10;

// `config` limits the gateway to this file. Without it, the gateway has every server that is configured on the machine.
const gateway = await openGateway({ config: 'examples/servers.json' });

/** Calls a tool and returns its structured result. A failed call is a value with a code and a hint, not an exception. */
async function call(server, tool, toolArguments) {
  const answer = await gateway.executeTool(server, tool, toolArguments);
  if (answer.success) return answer.result.structuredContent;
  const { code, message, hint } = answer.error;
  throw new Error(`${server}/${tool} failed with ${code}: ${message}${hint ? ` (${hint})` : ''}`);
}

try {
  const { orders } = await call('orders', 'list_orders', { status: 'open' });
  const checked = await Promise.all(
    orders.map(async ({ id, city }) => ({ id, ...(await call('weather', 'get_forecast', { city })) })),
  );
  for (const { id, city, rainMm } of checked.filter((order) => order.rainMm > MUCH_RAIN_MM)) {
    console.log(`${id}: ${rainMm} mm of rain in ${city}`);
  }
} finally {
  // Ends the servers that the gateway has started.
  await gateway.close();
}

// A server over records that change: a list with a filter, one record, and a change that is checked before it is made.
// Copy this file, `npm install @modelcontextprotocol/server zod`, and put your own database where `orders` is.
import { McpServer } from '@modelcontextprotocol/server';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';

const Status = z.enum(['open', 'shipped', 'cancelled']);
const Order = z.object({
  id: z.string(),
  customer: z.string(),
  city: z.string(),
  totalCents: z.int(),
  status: Status,
});
type Order = z.infer<typeof Order>;

// Kept in memory: each start begins with the same orders, which is what a demonstration wants.
const orders = new Map<string, Order>(
  [
    { id: 'A-1001', customer: 'Ines', city: 'Lisbon', totalCents: 4_990, status: 'open' as const },
    { id: 'A-1002', customer: 'Marco', city: 'Genoa', totalCents: 12_900, status: 'open' as const },
    { id: 'A-1003', customer: 'Sanne', city: 'Rotterdam', totalCents: 8_450, status: 'open' as const },
    { id: 'A-1004', customer: 'Kari', city: 'Oslo', totalCents: 2_300, status: 'shipped' as const },
    { id: 'A-1005', customer: 'Joan', city: 'Palma', totalCents: 15_750, status: 'open' as const },
  ].map((order) => [order.id, order]),
);

const server = new McpServer(
  { name: 'orders', version: '1.0.0' },
  { instructions: 'The orders of a shop: look them up, and cancel those that are not sent yet.' },
);

server.registerTool(
  'list_orders',
  {
    description: 'Orders of the shop with customer, city, total and status; all of them, or those of one status.',
    inputSchema: z.object({ status: Status.optional().describe('Only orders in this state') }),
    outputSchema: z.object({ orders: z.array(Order) }),
    annotations: { readOnlyHint: true },
  },
  async ({ status }) => {
    const found = [...orders.values()].filter((order) => status === undefined || order.status === status);
    return { content: [{ type: 'text', text: found.map(line).join('\n') }], structuredContent: { orders: found } };
  },
);

server.registerTool(
  'get_order',
  {
    description: 'One order by its number.',
    inputSchema: z.object({ id: z.string().describe('The number of the order, such as A-1001') }),
    outputSchema: Order,
    annotations: { readOnlyHint: true },
  },
  async ({ id }) => {
    const order = orders.get(id);
    return order ? shown(order) : refused(`There is no order ${id}.`);
  },
);

server.registerTool(
  'cancel_order',
  {
    description: 'Cancel an order that has not been shipped.',
    inputSchema: z.object({ id: z.string() }),
    outputSchema: Order,
    // Clients ask a person before a tool that destroys, and need not ask twice for one that may be repeated.
    annotations: { destructiveHint: true, idempotentHint: true },
  },
  async ({ id }) => {
    const order = orders.get(id);
    if (!order) return refused(`There is no order ${id}.`);
    if (order.status === 'shipped') return refused(`${id} has been shipped and cannot be cancelled.`);
    const cancelled: Order = { ...order, status: 'cancelled' };
    orders.set(id, cancelled);
    return shown(cancelled);
  },
);

/** Money is counted in cents, so that sums are exact; only people get the point. */
function line({ id, customer, city, totalCents, status }: Order): string {
  return `${id}  ${customer}, ${city}  ${(totalCents / 100).toFixed(2)} EUR  ${status}`;
}

function shown(order: Order) {
  return { content: [{ type: 'text' as const, text: line(order) }], structuredContent: order };
}

/** What the model can mend is a result and no exception. */
function refused(text: string) {
  return { content: [{ type: 'text' as const, text }], isError: true };
}

await server.connect(new StdioServerTransport());

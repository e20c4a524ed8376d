import { type Server, shownName, stateOf } from '../policy/index.js';
import type { ServerAnswer } from './gateway-answers.js';
import type { GatewayDependencies, GatewayView } from './gateway-dependencies.js';
import { descriptionOf } from './server-description.js';
import { viewTools } from './tool-view.js';

/** One server as `list_mcp_servers` shows it. */
export function serverAnswer(
  server: Server,
  { judge, settings }: Omit<GatewayView, 'servers'>,
  { catalog, pool }: Pick<GatewayDependencies, 'catalog' | 'pool'>,
): ServerAnswer {
  const name = shownName(server);
  const { admitted } = server;
  const state = stateOf(server.verdict);
  if (!admitted) return { name, status: state === 'ready' ? 'error' : state };
  const entry = catalog.entry(server.name);
  const { state: connection, error = entry?.error } = pool.status(admitted);
  const description = descriptionOf(admitted, entry);
  const views = entry && viewTools(entry, judge, settings.pins);
  return {
    name,
    ...(description !== '' && { description }),
    ...(views &&
      entry.tools && {
        toolCount: views.size,
        enabledCount: [...views.values()].filter(({ enabled }) => enabled).length,
      }),
    status: connection !== 'disconnected' ? connection : error === undefined ? 'idle' : 'error',
    ...(error !== undefined && { error }),
  };
}

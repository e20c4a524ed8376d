import { ErrorCode, PortolanError } from '../../base/index.js';
import type { Gateway } from '../../gateway/index.js';
import { ExposeAll } from './expose-all.js';
import { ExposeOne } from './expose-one.js';
import { MetaToolSurface } from './meta-surface.js';
import type { Surface } from './surface.js';

/** The requested surface: the meta-tools, every tool of `all` servers, or one server by name. */
export function chooseSurface(gateway: Gateway, expose: string | undefined): Surface {
  if (expose === undefined) return new MetaToolSurface(gateway);
  if (expose === 'all') return new ExposeAll(gateway);
  const server = gateway.view.servers.find(({ name, alias }) => name === expose || alias === expose);
  if (server) return new ExposeOne(gateway, server.name);
  throw new PortolanError(ErrorCode.ServerNotFound, `cannot expose ${expose}: there is no server with this name`, {
    hint: 'list the names with `portolan list`, or use --expose all',
  });
}

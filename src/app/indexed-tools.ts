import type { CatalogEntry } from '../catalog/index.js';
import { type GatewayView, viewTools } from '../gateway/index.js';
import type { IndexedTool, ToolIndex } from '../search/index.js';

/** Replaces the tools of a server in the search index. */
export function indexTools(index: ToolIndex, entry: CatalogEntry, view: GatewayView): void {
  index.remove(entry.server.name);
  index.add(toolsOf(entry, view));
}

function toolsOf(entry: CatalogEntry, { judge, settings }: GatewayView): IndexedTool[] {
  const { server, handshake } = entry;
  const description = server.definition.description ?? handshake?.instructions;
  return [...viewTools(entry, judge, settings.pins).values()].map(({ listed, enabled, tags }) => ({
    server: server.name,
    name: listed.tool.name,
    ...(listed.tool.description !== undefined && { description: listed.tool.description }),
    inputSchema: listed.tool.inputSchema,
    ...(description !== undefined && { serverDescription: description }),
    tags,
    enabled,
  }));
}

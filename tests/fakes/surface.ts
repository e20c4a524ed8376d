import type { Answer } from '../../src/rpc/index.js';
import type { Surface, SurfaceNotification, SurfaceRequest } from '../../src/serve/surfaces/surface.js';

/** A surface with the given methods. It forwards notifications unchanged. */
export function fakeSurface(methods: Readonly<Record<string, (request: SurfaceRequest) => Promise<Answer>>>): Surface {
  return {
    introduction: async () => ({ capabilities: { tools: {} } }),
    answer: (request) => (Object.hasOwn(methods, request.method) ? methods[request.method]?.(request) : undefined),
    translate: (_: string, notice: SurfaceNotification) => notice,
  };
}

import type { Answer } from '../../src/rpc/index.js';
import type { Face, FaceRequest, Notice } from '../../src/serve/surfaces/surface.js';

/** A face whose methods are the functions it is given; what servers say is told as it is. */
export function fakeFace(methods: Readonly<Record<string, (request: FaceRequest) => Promise<Answer>>>): Face {
  return {
    introduction: async () => ({ capabilities: { tools: {} } }),
    answer: (request) => (Object.hasOwn(methods, request.method) ? methods[request.method]?.(request) : undefined),
    translate: (_: string, notice: Notice) => notice,
  };
}

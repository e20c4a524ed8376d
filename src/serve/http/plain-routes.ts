/** A resource that an admitted client can read with GET. */
export interface PlainRoute {
  /** Readable without a token. */
  readonly isOpen?: boolean;
  answer(request: Request): Response | Promise<Response>;
}

/** Paths beside the MCP path. The Host, Origin and token checks apply to all of them. */
export type PlainRoutes = ReadonlyMap<string, PlainRoute>;

const METHODS: readonly string[] = ['GET', 'HEAD'];

/** Answers a request from the table; undefined for another path. */
export async function answerPlainly(
  routes: PlainRoutes,
  request: Request,
  notAllowed: (methods: readonly string[]) => Response,
): Promise<Response | undefined> {
  const route = routes.get(new URL(request.url).pathname);
  if (!route) return undefined;
  return METHODS.includes(request.method) ? route.answer(request) : notAllowed(METHODS);
}

/** The paths that need no token. */
export function openPaths(routes: PlainRoutes): ReadonlySet<string> {
  return new Set([...routes].flatMap(([path, { isOpen }]) => (isOpen === true ? [path] : [])));
}

/** One thing that anybody who is let in may read at a path. */
export interface PlainRoute {
  /** Read without a token. */
  readonly isOpen?: boolean;
  answer(request: Request): Response | Promise<Response>;
}

/** What stands beside the protocol's own path. Every row passes the same checks of Host, Origin and token. */
export type PlainRoutes = ReadonlyMap<string, PlainRoute>;

const METHODS: readonly string[] = ['GET', 'HEAD'];

/** Answers a request by the table; undefined for a path that is not in it. */
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

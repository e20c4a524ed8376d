import { ErrorCode, isObject, PortolanError } from '../../base/index.js';
import type { Conversation, ToolResult } from '../../model/index.js';
import { RpcError } from '../../rpc/index.js';

/** The error of revision 2025-11-25 for a page that the user has to open first. The modern revision has no such error. */
export const PAGE_REQUIRED = -32042;
/** Limits the rounds of pages in one call. */
const MAX_ROUNDS = 16;
const MAX_PAGES = 16;

/** For a client that does not support the error: asks the user to open the pages, then sends the request again. */
export async function withUrlElicitation(
  { acceptsInputRequests, ask }: Partial<Conversation>,
  send: () => Promise<ToolResult>,
): Promise<ToolResult> {
  if (acceptsInputRequests !== true) return send();
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    try {
      return await send();
    } catch (error) {
      const pages = pagesIn(error);
      if (!pages) throw error;
      for (const page of pages) {
        if (page.url === undefined) throw notVisited(page, 'the page has no URL');
        const answer = ask && (await ask('elicitation/create', { ...page, mode: 'url' }));
        if (answer?.action !== 'accept')
          throw notVisited(page, ask ? 'the user declined' : 'the client cannot be asked');
      }
    }
  }
  throw new PortolanError(ErrorCode.ToolExecutionError, 'the tool asked to open too many pages', {
    hint: 'report this to the operator of the server',
  });
}

function pagesIn(error: unknown): readonly Readonly<Record<string, unknown>>[] | undefined {
  const cause = error instanceof PortolanError ? error.cause : undefined;
  if (!(cause instanceof RpcError) || cause.fault.code !== PAGE_REQUIRED) return undefined;
  const { data } = cause.fault;
  const pages = isObject(data) && Array.isArray(data.elicitations) ? data.elicitations.filter(isObject) : [];
  // An error without pages becomes one page without URL, which fails below instead of being retried.
  return pages.length === 0 ? [{}] : pages.slice(0, MAX_PAGES);
}

function notVisited({ url }: Readonly<Record<string, unknown>>, why: string): PortolanError {
  const page = typeof url === 'string' ? `the page ${url}` : 'a page that the server does not name';
  return new PortolanError(
    ErrorCode.ToolExecutionError,
    `the tool requires the user to open ${page} first, but ${why}`,
    {
      hint: 'ask the user to open it, then call the tool again',
    },
  );
}

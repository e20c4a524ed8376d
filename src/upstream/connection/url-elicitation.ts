import { ErrorCode, isObject, PortolanError } from '../../base/index.js';
import type { Conversation, ToolResult } from '../../model/index.js';
import { RpcError } from '../../rpc/index.js';

/** What a server of the older generation answers where a page has to be visited first. The newer one knows no such error. */
export const PAGE_REQUIRED = -32042;
/** A server that sends a person to pages for ever is not asked again. */
const MAX_ROUNDS = 16;
const MAX_PAGES = 16;

/** For a client that does not know that error: the person is asked to visit the pages, and the request is sent again. */
export async function withUrlElicitation(
  { takesQuestions, ask }: Partial<Conversation>,
  send: () => Promise<ToolResult>,
): Promise<ToolResult> {
  if (takesQuestions !== true) return send();
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    try {
      return await send();
    } catch (error) {
      const pages = pagesIn(error);
      if (!pages) throw error;
      for (const page of pages) {
        if (page.url === undefined) throw notVisited(page, 'nobody can visit it');
        const answer = ask && (await ask('elicitation/create', { ...page, mode: 'url' }));
        if (answer?.action !== 'accept')
          throw notVisited(page, ask ? 'nobody agreed to' : 'the client cannot be asked to');
      }
    }
  }
  throw new PortolanError(ErrorCode.ToolExecutionError, 'the tool wants one more page visited after each', {
    hint: 'tell whoever runs the server',
  });
}

function pagesIn(error: unknown): readonly Readonly<Record<string, unknown>>[] | undefined {
  const cause = error instanceof PortolanError ? error.cause : undefined;
  if (!(cause instanceof RpcError) || cause.fault.code !== PAGE_REQUIRED) return undefined;
  const { data } = cause.fault;
  const pages = isObject(data) && Array.isArray(data.elicitations) ? data.elicitations.filter(isObject) : [];
  // One that names none would be sent again and again for nothing.
  return pages.length === 0 ? [{}] : pages.slice(0, MAX_PAGES);
}

function notVisited({ url }: Readonly<Record<string, unknown>>, why: string): PortolanError {
  const page = typeof url === 'string' ? `the page ${url}` : 'a page that the server does not name';
  return new PortolanError(ErrorCode.ToolExecutionError, `the tool wants ${page} visited first, and ${why}`, {
    hint: 'ask the user to visit it, then call the tool again',
  });
}

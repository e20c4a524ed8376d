import { cleanText, ErrorCode, maskTokens, PortolanError, redactor } from '../../base/index.js';

const SHOWN_CHARACTERS = 300;

/** A server that answered with a status that is an error. */
export class HttpStatusError extends Error {
  readonly status: number;
  /** The beginning of what it said. */
  readonly body: string;

  constructor(status: number, body: string) {
    super(body.trim() === '' ? `it answered ${status}` : `it answered ${status}: ${body.trim()}`);
    this.name = 'HttpStatusError';
    this.status = status;
    this.body = body;
  }
}

/** A server that does not take us; with the status, so that nobody takes it for a server of another kind. */
class AccessRefused extends PortolanError {
  readonly status: number;

  constructor(status: number, message: string, hint: string) {
    super(ErrorCode.ConnectionError, message, { hint });
    this.status = status;
  }
}

/** What is known of a server when a request to it fails. */
export interface FailureContext {
  readonly secrets: readonly string[];
  /** What a person can do about a refusal. */
  readonly access: { readonly message: string; readonly hint: string };
  /** What a failure means for somebody who can sign in; undefined if it has nothing to do with that. */
  readonly explain?: (error: unknown) => Promise<PortolanError | undefined>;
}

/** Why a request failed, for people: with the status where there is one, and with none of the headers that were sent. */
export async function remoteFailure(error: unknown, context: FailureContext): Promise<Error> {
  if (error instanceof PortolanError) return error;
  const code = networkCodeOf(error);
  if (code !== undefined) return new Error(`the server could not be reached (${code})`);
  const explained = await context.explain?.(error).catch(() => undefined);
  if (explained) return explained;
  const status = await statusOf(error);
  if (status === 401) return new AccessRefused(status, `${context.access.message} (HTTP 401)`, context.access.hint);
  if (status === 403) return new AccessRefused(status, 'it forbids us to use it (HTTP 403)', context.access.hint);
  const message = error instanceof Error ? error.message : String(error);
  // Redacted before it is cut: half of a secret is one too.
  const failure = new Error(cleanText(maskTokens(redactor(context.secrets)(message)), SHOWN_CHARACTERS).text);
  return status === undefined ? failure : Object.assign(failure, { status });
}

async function statusOf(error: unknown): Promise<number | undefined> {
  if (error instanceof HttpStatusError) return error.status;
  const { SdkHttpError, UnauthorizedError } = await import('@modelcontextprotocol/client');
  if (error instanceof UnauthorizedError) return 401;
  return error instanceof SdkHttpError ? error.status : undefined;
}

/** The code of a failure of the network or of TLS. */
function networkCodeOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return undefined;
  return /^(?:E[A-Z]{3,}|HPE_\w+|ERR_TLS_\w+|ERR_SSL_\w+|\w*CERT\w*|\w*SIGNATURE\w*)$/.test(error.code)
    ? error.code
    : undefined;
}

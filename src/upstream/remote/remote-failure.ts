import { cleanText, ErrorCode, maskTokens, PortolanError, redactor } from '../../base/index.js';

const SHOWN_CHARACTERS = 300;

/** The server answered with an HTTP error status. */
export class HttpStatusError extends Error {
  readonly status: number;
  /** The beginning of the response body. */
  readonly body: string;

  constructor(status: number, body: string) {
    super(body.trim() === '' ? `it answered ${status}` : `it answered ${status}: ${body.trim()}`);
    this.name = 'HttpStatusError';
    this.status = status;
    this.body = body;
  }
}

/** Access was refused. Keeps the status, so that `auto` does not try another transport. */
class AccessRefused extends PortolanError {
  readonly status: number;

  constructor(status: number, message: string, hint: string) {
    super(ErrorCode.ConnectionError, message, { hint });
    this.status = status;
  }
}

/** What describing a failed request needs to know about the server. */
export interface FailureContext {
  readonly secrets: readonly string[];
  /** The message and hint for a refused access. */
  readonly access: { readonly message: string; readonly hint: string };
  /** Turns an error that needs a sign-in into one with a hint; undefined for other errors. */
  readonly explain?: (error: unknown) => Promise<PortolanError | undefined>;
}

/** Describes a failed request, with the HTTP status if there is one, and with all sent headers masked. */
export async function remoteFailure(error: unknown, context: FailureContext): Promise<Error> {
  if (error instanceof PortolanError) return error;
  const code = networkCodeOf(error);
  if (code !== undefined) return new Error(`the server could not be reached (${code})`);
  const explained = await context.explain?.(error).catch(() => undefined);
  if (explained) return explained;
  const status = await statusOf(error);
  if (status === 401) return new AccessRefused(status, `${context.access.message} (HTTP 401)`, context.access.hint);
  if (status === 403) return new AccessRefused(status, 'it denied access (HTTP 403)', context.access.hint);
  const message = error instanceof Error ? error.message : String(error);
  // Mask before truncating, because half a secret would not be recognised.
  const failure = new Error(cleanText(maskTokens(redactor(context.secrets)(message)), SHOWN_CHARACTERS).text);
  return status === undefined ? failure : Object.assign(failure, { status });
}

async function statusOf(error: unknown): Promise<number | undefined> {
  if (error instanceof HttpStatusError) return error.status;
  const { SdkHttpError, UnauthorizedError } = await import('@modelcontextprotocol/client');
  if (error instanceof UnauthorizedError) return 401;
  return error instanceof SdkHttpError ? error.status : undefined;
}

/** The code of a network or TLS error. */
function networkCodeOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return undefined;
  return /^(?:E[A-Z]{3,}|HPE_\w+|ERR_TLS_\w+|ERR_SSL_\w+|\w*CERT\w*|\w*SIGNATURE\w*)$/.test(error.code)
    ? error.code
    : undefined;
}

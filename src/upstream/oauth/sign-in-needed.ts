import { cleanText, ErrorCode, maskTokens, PortolanError, redactor, shellWord } from '../../base/index.js';
import type { Sdk } from './sign-in-target.js';

/** The gateway never opens a browser itself, so the hint asks the user to sign in. */
export function signInNeeded(server: string, why = 'needs a sign-in'): PortolanError {
  return new PortolanError(ErrorCode.ConnectionError, `${server} ${why}`, {
    hint: `ask the user to run: portolan login ${shellWord(server)}`,
  });
}

const SHOWN_CHARACTERS = 200;

/**
 * Describes a failed exchange with an authorization server. SDK errors may quote a whole response with a token in it, so
 * only their beginning is shown, with secrets masked.
 */
export function oauthFault(sdk: Sdk, server: string, error: unknown, secrets: Iterable<string> = []): PortolanError {
  if (error instanceof PortolanError) return error;
  const fault = (text: string, hint: string): PortolanError =>
    new PortolanError(ErrorCode.ConnectionError, `sign-in to ${server} failed: ${text}`, { hint });
  if (error instanceof sdk.IssuerMismatchError)
    return fault(
      'the answer came from a different authorization server',
      'this may be an attack: ask the operator of the server before you try again',
    );
  if (error instanceof sdk.AuthorizationServerMismatchError)
    return fault(
      'the server names a different authorization server than before',
      `if this change is intended, run \`portolan logout ${shellWord(server)}\` and then \`portolan login ${shellWord(server)}\``,
    );
  if (error instanceof sdk.InsecureTokenEndpointError)
    return fault('its authorization server has a token endpoint without TLS', 'ask the operator of the server');
  if (error instanceof sdk.RegistrationRejectedError)
    return fault(
      'its authorization server rejected the client registration',
      'register a client there and set `oauth.clientId` in the entry of the server',
    );
  const code = error instanceof sdk.OAuthError && /^\w{1,40}$/.test(error.code) ? `${error.code}: ` : '';
  const text = `${code}${firstWords(error, secrets)}`.trim();
  return fault(text || 'its answer cannot be read', 'try again, or ask the operator of the server');
}

/** The part of an SDK error that is safe to show. */
export function firstWords(error: unknown, secrets: Iterable<string>): string {
  const message = error instanceof Error ? error.message : '';
  const [head = ''] = message.split(/Invalid OAuth error response|Raw body/);
  // Tokens of other parties are recognised by their form.
  return cleanText(maskTokens(redactor(secrets)(head)), SHOWN_CHARACTERS).text;
}

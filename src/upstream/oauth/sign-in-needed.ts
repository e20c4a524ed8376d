import { cleanText, ErrorCode, maskTokens, PortolanError, redactor, shellWord } from '../../base/index.js';
import type { Sdk } from './sign-in-target.js';

/** Only a person can go on: no gateway opens a browser by itself. */
export function signInNeeded(server: string, why = 'needs a sign-in'): PortolanError {
  return new PortolanError(ErrorCode.ConnectionError, `${server} ${why}`, {
    hint: `ask the user to run: portolan login ${shellWord(server)}`,
  });
}

const SHOWN_CHARACTERS = 200;

/**
 * What went wrong between us and an authorization server, for people. Errors of the SDK may quote a whole answer, in
 * which a token can stand: only their first words are repeated, and none of our own secrets.
 */
export function oauthFault(sdk: Sdk, server: string, error: unknown, secrets: Iterable<string> = []): PortolanError {
  if (error instanceof PortolanError) return error;
  const fault = (text: string, hint: string): PortolanError =>
    new PortolanError(ErrorCode.ConnectionError, `${server} could not be signed in to: ${text}`, { hint });
  if (error instanceof sdk.IssuerMismatchError)
    return fault(
      'the answer is from another authorization server than the one that was asked',
      'this may be an attack: ask whoever runs the server before you try again',
    );
  if (error instanceof sdk.AuthorizationServerMismatchError)
    return fault(
      'the server names another authorization server than before',
      'if that is meant, run `portolan logout` and then `portolan login` for it',
    );
  if (error instanceof sdk.InsecureTokenEndpointError)
    return fault('its authorization server wants tokens sent without TLS', 'ask whoever runs the server');
  if (error instanceof sdk.RegistrationRejectedError)
    return fault(
      'its authorization server does not take us as a client',
      'register one there and write its id as `oauth.clientId` into the entry of the server',
    );
  const code = error instanceof sdk.OAuthError && /^\w{1,40}$/.test(error.code) ? `${error.code}: ` : '';
  const text = `${code}${firstWords(error, secrets)}`.trim();
  return fault(text || 'its answer cannot be read', 'try again, or ask whoever runs the server');
}

/** So much of an error of the SDK as may be repeated. */
export function firstWords(error: unknown, secrets: Iterable<string>): string {
  const message = error instanceof Error ? error.message : '';
  const [head = ''] = message.split(/Invalid OAuth error response|Raw body/);
  // What one party signed for another is known by its form alone.
  return cleanText(maskTokens(redactor(secrets)(head)), SHOWN_CHARACTERS).text;
}

import type {
  OAuthClientMetadata,
  OAuthClientProvider,
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from '@modelcontextprotocol/client';
import type { OAuthSettings } from './oauth-settings.js';

export interface FlowStart {
  readonly settings: OAuthSettings;
  readonly redirect: URL;
  readonly state: string;
  readonly issuer: OAuthDiscoveryState;
  /** The authorization server that first received the secret of a manually registered client; no other may get it. */
  readonly boundTo: string | undefined;
}

/** The state of one sign-in in the browser. */
export class BrowserFlow implements OAuthClientProvider {
  readonly redirectUrl: URL;
  readonly clientMetadata: OAuthClientMetadata;
  readonly clientMetadataUrl?: string;
  /** Absent for a manually registered client, so that the SDK registers no new one. */
  readonly saveClientInformation?: (client: StoredOAuthClientInformation) => void;
  page: URL | undefined;
  client: StoredOAuthClientInformation | undefined;
  received: StoredOAuthTokens | undefined;
  audience: string | undefined;
  #verifier = '';
  readonly #start: FlowStart;

  constructor(start: FlowStart) {
    const { settings, redirect, issuer } = start;
    this.#start = start;
    this.redirectUrl = redirect;
    this.clientMetadata = {
      client_name: 'Portolan',
      redirect_uris: [redirect.href],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: authMethod(issuer),
      ...(settings.scope !== undefined && { scope: settings.scope }),
    };
    if (settings.clientMetadataUrl !== undefined) this.clientMetadataUrl = settings.clientMetadataUrl;
    if (settings.clientId === undefined)
      this.saveClientInformation = (client) => {
        this.client = client;
      };
    else
      this.client = {
        client_id: settings.clientId,
        ...(settings.clientSecret !== undefined && { client_secret: settings.clientSecret }),
        ...(settings.clientSecret !== undefined && start.boundTo !== undefined && { issuer: start.boundTo }),
      };
  }

  state(): string {
    return this.#start.state;
  }

  clientInformation(): StoredOAuthClientInformation | undefined {
    return this.client;
  }

  /** Undefined, so that the SDK starts a new sign-in instead of a refresh. */
  tokens(): undefined {
    return undefined;
  }

  saveTokens(tokens: StoredOAuthTokens): void {
    this.received = tokens;
  }

  redirectToAuthorization(page: URL): void {
    this.page = page;
  }

  saveCodeVerifier(verifier: string): void {
    this.#verifier = verifier;
  }

  codeVerifier(): string {
    return this.#verifier;
  }

  saveResourceUrl(audience: string): void {
    this.audience = audience;
  }

  /** Discovered once before the browser opens, so that the code goes to the same authorization server. */
  discoveryState(): OAuthDiscoveryState {
    return this.#start.issuer;
  }

  saveDiscoveryState(): void {}
}

/** Prefers a public client, because a local program cannot keep a secret. */
function authMethod({ authorizationServerMetadata: metadata }: OAuthDiscoveryState): string {
  const methods = metadata?.token_endpoint_auth_methods_supported ?? ['none'];
  return ['none', 'client_secret_basic', 'client_secret_post'].find((method) => methods.includes(method)) ?? 'none';
}

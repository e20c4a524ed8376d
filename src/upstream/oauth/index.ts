export { accessError } from './access-error.js';
export { authProviderFor } from './auth-provider.js';
export { type CredentialStore, credentialStore } from './credential-store.js';
export { openBrowser } from './open-browser.js';
export { type SignInOptions, signIn } from './sign-in.js';
export { type SignedOut, signOut } from './sign-out.js';
export { type SignedIn, signedIn } from './signed-in.js';

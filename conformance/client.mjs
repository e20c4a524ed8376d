// The suite starts this for each of its client scenarios: a gateway whose only upstream server is that of the scenario,
// and a client of the gateway that uses all features, so that the suite tests the gateway as a client.
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { LineClient, valuesFor } from './line-client.mjs';
import { makeHome, PROGRAM } from './throw-away-home.mjs';
import { takeTurn } from './turns.mjs';

const WHOLE_MS = 100_000;
const LOGIN_MS = 30_000;
/** One for the first sign-in and one for scenarios that require more scopes later; a third would be a loop. */
const MAX_LOGINS = 2;
/** The only metadata URL that the suite knows. */
const CLIENT_METADATA = 'https://conformance-test.local/client-metadata.json';
/** Scenarios that judge requests of the current revision; the client below would be served in that of its handshake. */
const CURRENT_REVISION = new Set(['request-metadata', 'http-standard-headers']);
const KEY_FILE = 'key.pem';
const ID_TOKEN = 'CONFORMANCE_ID_TOKEN';

const url = process.argv.at(-1);
const scenario = process.env.MCP_CONFORMANCE_SCENARIO ?? '';
const context = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? '{}');

/** The settings that a user would write beside the URL of such a server. */
function oauthEntry() {
  const { client_id: clientId, client_secret: clientSecret } = context;
  return {
    clientMetadataUrl: CLIENT_METADATA,
    ...(clientId && { clientId }),
    ...(clientSecret && { clientSecret }),
    ...(scenario.startsWith('auth/client-credentials') && { grantType: 'client_credentials' }),
    ...(context.private_key_pem && { privateKeyFile: `~/${KEY_FILE}`, signingAlgorithm: context.signing_algorithm }),
    ...(context.idp_id_token && {
      grantType: 'cross_app_access',
      idpTokenEndpoint: context.idp_token_endpoint,
      idpClientId: context.idp_client_id,
      idpIdToken: `\${${ID_TOKEN}}`,
    }),
  };
}

/** The secrets of such a user: a key in a file and a token in a variable. */
function withSecrets(home) {
  if (context.private_key_pem) writeFileSync(join(home.env.HOME, KEY_FILE), context.private_key_pem, { mode: 0o600 });
  if (context.idp_id_token) home.env[ID_TOKEN] = context.idp_id_token;
  return home;
}

/** The gateway opens no browser by itself; its error says what the user has to do. */
const asksForSignIn = (answer) => JSON.stringify(answer).includes('portolan login');

class SignInNeeded extends Error {}

/** The result; undefined for an error, because only what the server of the suite received matters. */
async function ask(client, method, params) {
  const answer = await client.request(method, params);
  if (asksForSignIn(answer)) throw new SignInNeeded();
  if (answer.error) process.stderr.write(`${method}: ${JSON.stringify(answer.error)}\n`);
  return answer.result ?? {};
}

/** The calls that the scenario names, or one of each tool that the gateway lists. */
function callsFor(tools) {
  if (context.toolCalls) return context.toolCalls;
  const rich = tools.find(({ name }) => name === 'json_schema_2020_12_tool');
  return tools.map(({ name, inputSchema }) =>
    rich && name === 'json_schema_echo'
      ? { name, arguments: { schema: rich.inputSchema } }
      : { name, arguments: valuesFor(inputSchema, inputSchema?.required ?? []) },
  );
}

async function useEverything(client) {
  const { tools = [] } = await ask(client, 'tools/list');
  for (const call of callsFor(tools)) await ask(client, 'tools/call', call);
  const { resources = [] } = await ask(client, 'resources/list');
  for (const { uri } of resources) await ask(client, 'resources/read', { uri });
  const { prompts = [] } = await ask(client, 'prompts/list');
  for (const { name, arguments: wanted = [] } of prompts)
    await ask(client, 'prompts/get', { name, arguments: Object.fromEntries(wanted.map((one) => [one.name, 'value'])) });
}

/** True if it succeeded. */
function portolan(args, { env, cwd }) {
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [PROGRAM, ...args], { env, cwd, timeout: LOGIN_MS }, (error, out, err) => {
      if (error) process.stderr.write(`portolan ${args.join(' ')}: ${out}${err}\n`);
      resolve(!error);
    });
    child.stdin.end();
  });
}

async function signIn(home) {
  if (await portolan(['login', 'up'], home)) return;
  // A new authorization server of a server is refused until the user signs out.
  await portolan(['logout', 'up'], home);
  await portolan(['login', 'up'], home);
}

async function connect(home) {
  const client = new LineClient([PROGRAM, 'serve', '--expose', 'up'], home);
  const answer = await client.initialize();
  if (answer.error) process.stderr.write(`initialize: ${JSON.stringify(answer.error)}\n`);
  return { client, isReady: answer.result !== undefined, isSignInNeeded: asksForSignIn(answer) };
}

async function run(home) {
  let connection = await connect(home);
  try {
    for (let logins = 0; ; logins += 1) {
      try {
        if (connection.isSignInNeeded) throw new SignInNeeded();
        if (connection.isReady) await useEverything(connection.client);
        return;
      } catch (error) {
        if (!(error instanceof SignInNeeded) || logins === MAX_LOGINS) throw error;
      }
      await signIn(home);
      if (connection.isReady) continue;
      await connection.client.end();
      connection = await connect(home);
    }
  } finally {
    await connection.client.end();
    process.stderr.write(connection.client.stderr);
  }
}

const { CONFORMANCE_TURNS: turns, CONFORMANCE_PLACES: places } = process.env;
if (turns) await takeTurn(turns, Number(places));
const era = CURRENT_REVISION.has(scenario) ? { era: 'modern' } : {};
const home = withSecrets(makeHome({ up: { type: 'http', url, oauth: oauthEntry(), ...era } }));
// A scenario that hangs must not block the others.
setTimeout(() => process.exit(3), WHOLE_MS).unref();
try {
  await run(home);
} catch (error) {
  process.stderr.write(`${error instanceof SignInNeeded ? 'it wants yet another sign-in' : error}\n`);
  process.exitCode = 1;
}

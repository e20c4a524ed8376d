import {
  isReference,
  isSecretField,
  isSecretName,
  MASK,
  maskArgs,
  maskCommandLine,
  maskText,
  maskUrl,
  type References,
} from '../base/index.js';
import type { Definition, LaunchFields } from './definition.js';
import type { Origin, ScanResult, ServerRecord } from './server-record.js';

/** The result of a scan in a form that may be shown: all secret values are masked. */
export function maskScanResult({ definitions, servers, problems }: ScanResult): ScanResult {
  const written = writtenBy(definitions);
  return {
    definitions: definitions.map(maskDefinition),
    servers: servers.map((server) => maskServer(server, written(server))),
    problems,
  };
}

/**
 * Returns a function that finds the written launch of a server by its active definition, whatever the server is named.
 */
export function writtenBy(definitions: readonly Definition[]): (server: ServerRecord) => LaunchFields | undefined {
  const key = (name: string, { client, scope, source, line }: Origin) =>
    JSON.stringify([name, client, scope, source, line]);
  const written = new Map(definitions.map((one) => [key(one.name, one), one.written]));
  return ({ name, renamedFrom, source, origins }) =>
    origins
      .filter((origin) => origin.source === source)
      .map((origin) => written.get(key(renamedFrom ?? name, origin)))
      .find((one) => one !== undefined);
}

/**
 * `written` is the launch as in the file. Without it, a value from a reference is masked only if it looks like a
 * secret.
 */
export function maskServer(server: ServerRecord, written: LaunchFields = {}): ServerRecord {
  const { runsAt } = server;
  return {
    ...server,
    ...maskLaunch(server, written, 'hidden'),
    ...(runsAt !== undefined && { runsAt: maskUrl(runsAt) }),
  };
}

export function maskDefinition(definition: Definition): Definition {
  const { written, oauth, authToken, headersHelper, description } = definition;
  return {
    ...definition,
    ...maskLaunch(definition, written, 'hidden'),
    written: {
      ...maskLaunch(written, {}, 'shown'),
      ...(written.envFile !== undefined && { envFile: written.envFile }),
      ...(written.oauth && { oauth: maskOauth(written.oauth, {}, 'shown') }),
    },
    ...(authToken !== undefined && { authToken: MASK }),
    ...(oauth && { oauth: maskOauth(oauth, written.oauth, 'hidden') }),
    ...(headersHelper !== undefined && { headersHelper: maskCommandLine(headersHelper) }),
    ...(description !== undefined && { description: maskText(description) }),
  };
}

type OauthFields = NonNullable<Definition['oauth']>;

function maskOauth(oauth: OauthFields, written: OauthFields = {}, references: References): OauthFields {
  const masked = (name: string, value: OauthFields[string]): OauthFields[string] => {
    if (references === 'shown' && typeof value === 'string' && isReference(value)) return value;
    // The content of a variable or file may be a secret.
    const isReferred = written[name] !== undefined && JSON.stringify(written[name]) !== JSON.stringify(value);
    if (isSecretField(name) || isReferred) return MASK;
    return typeof value === 'string' ? maskUrl(value, references) : value;
  };
  return Object.fromEntries(Object.entries(oauth).map(([name, value]) => [name, masked(name, value)]));
}

function maskLaunch(launch: LaunchFields, written: LaunchFields, references: References): LaunchFields {
  const { command, args, env, cwd, url, headers } = launch;
  // An empty value is no secret, and masked it would look as if it were set.
  const hide = (value: string) => (value === '' || (references === 'shown' && isReference(value)) ? value : MASK);
  const masked = args && maskArgs(args, references);
  return {
    ...(command !== undefined && { command: bySource(command, written.command) ?? maskCommandLine(command) }),
    ...(masked && {
      args: masked.map((arg, n) => (arg === MASK ? arg : (bySource(args[n], written.args?.[n]) ?? arg))),
    }),
    ...(env && {
      env: mapValues(env, (value, name) =>
        isSecretName(name) ? hide(value) : (bySource(value, written.env?.[name]) ?? maskUrl(value, references)),
      ),
    }),
    ...(cwd !== undefined && { cwd: bySource(cwd, written.cwd) ?? cwd }),
    ...(url !== undefined && { url: bySource(url, written.url) ?? maskUrl(url, references) }),
    ...(headers && { headers: mapValues(headers, hide) }),
  };
}

/** `${NAME}`, `{{NAME}}`, `{env:NAME}` and `{file:path}`, or `$NAME`, `$env:NAME` and `%NAME%`. */
const ANY_REFERENCE = /(?:\$\{\{?|\{\{|\{(?=env:|file:))([^{}]+)\}+|(?:\$(?:env:)?|%)([A-Za-z_]\w*)%?/g;

/** A value from another file or a secret variable, shown as written in the file with those references masked. */
function bySource(value: string | undefined, written: string | undefined): string | undefined {
  if (written === undefined || written === value) return undefined;
  let found = false;
  const shown = written.replaceAll(ANY_REFERENCE, (whole: string, inside?: string, bare?: string) => {
    const [name = ''] = (inside ?? bare ?? '').split(':-');
    const secret = name.startsWith('file:') || isSecretName(name);
    found ||= secret;
    return secret ? MASK : whole;
  });
  return found ? maskUrl(shown) : undefined;
}

function mapValues(
  record: Readonly<Record<string, string>>,
  map: (value: string, name: string) => string,
): Record<string, string> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, map(value, name)]));
}

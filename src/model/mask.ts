import { isSecretName, MASK, maskArgs, maskText, maskUrl } from '../base/index.js';
import type { Definition, LaunchFields } from './definition.js';
import type { Chart, Server } from './server.js';

/** The chart as it may be shown: every value that is a secret replaced, wherever it stands. */
export function maskChart({ definitions, servers, problems }: Chart): Chart {
  return { definitions: definitions.map(maskDefinition), servers: servers.map(maskServer), problems };
}

export function maskServer(server: Server): Server {
  return { ...server, ...maskLaunch(server, server) };
}

export function maskDefinition(definition: Definition): Definition {
  const { written, oauth, authToken } = definition;
  return {
    ...definition,
    ...maskLaunch(definition, written),
    written: maskLaunch(written, written, true),
    ...(authToken !== undefined && { authToken: MASK }),
    ...(oauth && {
      oauth: Object.fromEntries(Object.entries(oauth).map(([key, value]) => [key, isSecretName(key) ? MASK : value])),
    }),
    ...(definition.headersHelper !== undefined && { headersHelper: maskText(definition.headersHelper) }),
  };
}

/** `written` tells which values came out of a file that the entry only names; with `references`, those are left to be seen. */
function maskLaunch(launch: LaunchFields, written: LaunchFields, references = false): LaunchFields {
  const { command, args, env, cwd, url, headers } = launch;
  const hide = (value: string) => (references && isReference(value) ? value : MASK);
  return {
    ...(command !== undefined && { command: maskText(command) }),
    ...(args && { args: maskArgs(args).map((arg, n) => (fromFile(written.args?.[n]) && !references ? MASK : arg)) }),
    ...(env && {
      env: mapValues(env, (value, name) =>
        isSecretName(name) || (fromFile(written.env?.[name]) && !references) ? hide(value) : maskUrl(value),
      ),
    }),
    ...(cwd !== undefined && { cwd }),
    ...(url !== undefined && { url: fromFile(written.url) && !references ? MASK : maskUrl(url) }),
    ...(headers && { headers: mapValues(headers, hide) }),
  };
}

/** A value that is nothing but a reference, perhaps with the name of a scheme before it, gives nothing away. */
function isReference(value: string): boolean {
  return (
    /^(?:(?:bearer|basic|token)\s+)?(?:\$\{[^{}]+\}|\$\{\{[^{}]+\}\}|\{(?:env|file):[^{}]+\}|\$[A-Za-z_]\w*)$/i.test(
      value,
    ) && !/:-./.test(value)
  );
}

function fromFile(written: string | undefined): boolean {
  return written !== undefined && /\$?\{file:/.test(written);
}

function mapValues(
  record: Readonly<Record<string, string>>,
  map: (value: string, name: string) => string,
): Record<string, string> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, map(value, name)]));
}

import { basename, dirname, join } from 'node:path';
import type { Host } from '../../model/index.js';
import type { Rule } from '../expansion.js';
import { at, type Fields, isFields, names } from '../fields.js';
import type { AsyncFinder, FoundEntries } from '../find-entries.js';

/** The prefix of a secret that only the app can decrypt. */
const SEALED = /^__encrypted__:/;

/** References in a manifest: its directory, directories of the user, and answers given during the installation. */
export const manifestReference: Rule = {
  pattern: String.raw`\$\{(__dirname|HOME|DESKTOP|DOCUMENTS|DOWNLOADS|\/|pathSeparator|user_config\.[^{}]+)\}`,
  meaning(name, { host, folder, variables }) {
    if (name === '__dirname') return { kind: 'value', value: folder };
    if (!name.startsWith('user_config.')) return { kind: 'value', value: fixedValue(name, host) };
    const answer = Object.hasOwn(variables, name) ? variables[name] : undefined;
    return answer === undefined
      ? { kind: 'input', id: name.slice('user_config.'.length) }
      : { kind: 'value', value: answer };
  },
};

function fixedValue(name: string, host: Host): string {
  const folders: Readonly<Record<string, string>> = {
    HOME: host.home,
    DESKTOP: join(host.home, 'Desktop'),
    DOCUMENTS: join(host.home, 'Documents'),
    DOWNLOADS: join(host.home, 'Downloads'),
  };
  return folders[name] ?? (host.platform === 'win32' ? '\\' : '/');
}

/** One server per manifest, with the user's answers from the settings beside the extensions. */
export const manifestServer: AsyncFinder = async (root, { source, host, read }): Promise<FoundEntries> => {
  const config = at(root, 'server', 'mcp_config');
  if (!isFields(root) || !isFields(config)) return { entries: [], problems: [noLaunch] };
  const beside = await read(settingsOf(source));
  const settings = beside.kind === 'read' ? beside.document.value : undefined;
  const answers = new Map([
    ...defaults(root, host),
    ...Object.entries(fieldsOf(at(settings, 'userConfig'))).filter(([, value]) => isAnswer(value)),
  ]);
  const { platform_overrides: _, ...launch } = forPlatform(config, host);
  const name = typeof root.name === 'string' && root.name !== '' ? root.name : basename(dirname(source));
  const value = {
    ...(typeof root.description === 'string' && { description: root.description }),
    ...launch,
    ...(Array.isArray(launch.args) && { args: spreadLists(launch.args, answers) }),
    ...(at(settings, 'isEnabled') === false && { disabled: true }),
  };
  const entry = {
    name,
    value,
    path: ['server', 'mcp_config'],
    variables: variablesFrom(answers),
    inputs: questions(root),
  };
  return { entries: [entry], problems: [] };
};

const noLaunch = {
  code: 'invalid-entry',
  severity: 'warning',
  message: 'the manifest does not say how its server is started',
  hint: 'a manifest needs "server": { "mcp_config": { "command": … } }; reinstall the extension or ask its author',
} as const;

function settingsOf(manifest: string): string {
  const folder = dirname(manifest);
  return join(folder, '..', '..', 'Claude Extensions Settings', `${basename(folder)}.json`);
}

/** Applies the overrides of the platform; its variables are merged. */
function forPlatform(config: Fields, host: Host): Fields {
  const own = at(config, 'platform_overrides', host.platform);
  if (!isFields(own)) return config;
  const bothEnv = isFields(config.env) && isFields(own.env) ? { env: { ...config.env, ...own.env } } : {};
  return { ...config, ...own, ...bothEnv };
}

function fieldsOf(value: unknown): Fields {
  return isFields(value) ? value : {};
}

/** An empty field was not answered, and an encrypted one cannot be read; both count as missing. */
function isAnswer(value: unknown): boolean {
  return value !== undefined && value !== null && value !== '' && !(typeof value === 'string' && SEALED.test(value));
}

/** The default values of the manifest. Unlike answers, they may refer to the user's directories. */
function defaults(manifest: Fields, host: Host): [string, unknown][] {
  const filled = (text: string) =>
    text.replaceAll(/\$\{(HOME|DESKTOP|DOCUMENTS|DOWNLOADS|\/|pathSeparator)\}/g, (__, name: string) =>
      fixedValue(name, host),
    );
  return Object.entries(fieldsOf(manifest.user_config)).flatMap(([key, question]): [string, unknown][] => {
    const value = at(question, 'default');
    if (Array.isArray(value)) return [[key, names(value).map(filled)]];
    return isAnswer(value) ? [[key, typeof value === 'string' ? filled(value) : value]] : [];
  });
}

/** Expands an answer that is a list to one argument per item, each as a reference, so that no answer is copied. */
function spreadLists(args: readonly unknown[], answers: ReadonlyMap<string, unknown>): unknown[] {
  return args.flatMap((arg): unknown[] => {
    const key = typeof arg === 'string' ? /^\$\{user_config\.([^{}]+)\}$/.exec(arg)?.[1] : undefined;
    const answer = key === undefined ? undefined : answers.get(key);
    return Array.isArray(answer) ? names(answer).map((__, n) => `\${user_config.${key}.${n}}`) : [arg];
  });
}

function variablesFrom(answers: ReadonlyMap<string, unknown>): Record<string, string> {
  const pairs = [...answers].flatMap(([key, value]): [string, string][] => {
    if (Array.isArray(value)) return names(value).map((item, n) => [`user_config.${key}.${n}`, item]);
    return ['string', 'number', 'boolean'].includes(typeof value) ? [[`user_config.${key}`, String(value)]] : [];
  });
  return Object.fromEntries(pairs);
}

function questions(manifest: Fields): Fields[] {
  return Object.entries(fieldsOf(manifest.user_config)).map(([id, question]) => ({
    id,
    type: at(question, 'type'),
    description: at(question, 'description') ?? at(question, 'title'),
    password: at(question, 'sensitive'),
  }));
}

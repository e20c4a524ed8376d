import { wildcard } from '../../base/index.js';

const EVERYWHERE = [
  ...['PATH', 'HOME', 'LANG', 'TMPDIR', 'USER', 'SHELL', 'TERM'],
  ...['XDG_CACHE_HOME', 'XDG_CONFIG_DIRS', 'XDG_CONFIG_HOME', 'XDG_DATA_DIRS'],
  ...['XDG_DATA_HOME', 'XDG_RUNTIME_DIR', 'XDG_STATE_HOME'],
  ...['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'NO_PROXY', 'http_proxy', 'https_proxy', 'all_proxy', 'no_proxy'],
  ...['NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE', 'SSL_CERT_DIR', 'REQUESTS_CA_BUNDLE', 'CURL_CA_BUNDLE'],
];
/** Programs on Windows fail without some of these: sockets need SYSTEMROOT, and `npx` needs PATHEXT and APPDATA. */
const ON_WINDOWS = [
  ...['PATHEXT', 'SYSTEMROOT', 'SYSTEMDRIVE', 'WINDIR', 'COMSPEC', 'TEMP', 'TMP'],
  ...['USERNAME', 'USERPROFILE', 'HOMEDRIVE', 'HOMEPATH', 'APPDATA', 'LOCALAPPDATA', 'PROGRAMDATA'],
  ...['PROGRAMFILES', 'PROGRAMFILES(X86)', 'PROGRAMW6432', 'COMMONPROGRAMFILES', 'PROCESSOR_ARCHITECTURE'],
];

/** The environment of a child: the allow-list, plus variables that match `passEnv`, overridden by the variables of its entry. */
export function childEnvironment(
  from: Readonly<Record<string, string | undefined>>,
  own: Readonly<Record<string, string>>,
  passEnv: readonly string[],
  platform: string,
): Record<string, string> {
  // Variable names on Windows are case-insensitive, so compare them in upper case to avoid duplicates.
  const keyOf = (name: string) => (platform === 'win32' ? name.toUpperCase() : name);
  const allowed = new Set([...EVERYWHERE, ...(platform === 'win32' ? ON_WINDOWS : [])].map(keyOf));
  const passed = passEnv.map((pattern) => wildcard(keyOf(pattern)));
  const inherited = Object.entries(from).filter(([name, value]) => {
    // bash exports functions in this form, and old versions of bash execute such values (Shellshock).
    if (value === undefined || value.startsWith('()')) return false;
    return allowed.has(keyOf(name)) || passed.some((matches) => matches(keyOf(name)));
  });
  const given = new Map<string, readonly [string, string]>();
  for (const [name, value] of [...inherited, ...Object.entries(own)])
    if (value !== undefined) given.set(keyOf(name), [name, value]);
  return Object.fromEntries(given.values());
}

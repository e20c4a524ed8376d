import { ErrorCode, PortolanError } from '../../base/index.js';

/** A browser that still runs after this time counts as opened. */
const REFUSAL_MS = 3_000;

export interface Desktop {
  readonly platform: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/**
 * The URL as it is passed to another program. The authorization server supplied it, so it must be http or https (which
 * excludes a leading dash), and shell characters are encoded although no shell is used.
 */
export function browsable(address: URL): string {
  if (address.protocol !== 'https:' && address.protocol !== 'http:')
    throw refused(`it begins with ${JSON.stringify(address.protocol.slice(0, 40))}`);
  if (address.username !== '' || address.password !== '') throw refused('it has a user name or password in it');
  return address.href.replaceAll(/[^\w\-.~:/?#[\]@&=+%,]/g, encoded);
}

function encoded(character: string): string {
  return Buffer.from(character).reduce(
    (text, byte) => `${text}%${byte.toString(16).toUpperCase().padStart(2, '0')}`,
    '',
  );
}

function refused(why: string): PortolanError {
  return new PortolanError(ErrorCode.ConnectionError, `refused to open the sign-in page: ${why}`, {
    hint: 'the authorization server named this page; report it to the operator of the server',
  });
}

/** Opens a page in the browser of the user; false if no browser can be opened. Never uses a shell. */
export async function openBrowser(address: URL, desktop: Desktop = process): Promise<boolean> {
  const page = browsable(address);
  for (const [command, ...words] of openersFor(desktop)) {
    if (command !== undefined && (await starts(command, [...words, page], desktop))) return true;
  }
  return false;
}

/** Programs listed in `BROWSER` come first. Entries that need a shell are skipped. */
function openersFor(desktop: Desktop): readonly (readonly string[])[] {
  const { env, platform } = desktop;
  const chosen = (env.BROWSER ?? '').split(platform === 'win32' ? ';' : ':').filter((name) => /^[^\s%]+$/.test(name));
  return [...chosen.map((name) => [name]), ...usualOpeners(desktop)];
}

function usualOpeners({ platform, env }: Desktop): readonly (readonly string[])[] {
  switch (platform) {
    case 'darwin':
      return [['/usr/bin/open']];
    case 'win32':
      return [[`${env.SystemRoot ?? 'C:\\Windows'}\\System32\\rundll32.exe`, 'url.dll,FileProtocolHandler']];
    default: {
      if (env.WSL_DISTRO_NAME) return [['wslview'], ['rundll32.exe', 'url.dll,FileProtocolHandler']];
      // Without a display, xdg-open would start a text browser in our terminal.
      return env.DISPLAY || env.WAYLAND_DISPLAY ? [['xdg-open']] : [];
    }
  }
}

async function starts(command: string, words: readonly string[], { env }: Desktop): Promise<boolean> {
  const { spawn } = await import('node:child_process');
  return new Promise((resolve) => {
    const child = spawn(command, words, { shell: false, detached: true, stdio: 'ignore', windowsHide: true, env });
    const stays = setTimeout(() => resolve(true), REFUSAL_MS);
    child.once('error', () => settle(false));
    child.once('exit', (code) => settle(code === 0));
    child.unref();
    function settle(opened: boolean): void {
      clearTimeout(stays);
      resolve(opened);
    }
  });
}

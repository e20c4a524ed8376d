import { ErrorCode, PortolanError } from '../../base/index.js';

/** A browser that is going to say no says it soon; one that stays has opened. */
const REFUSAL_MS = 3_000;

export interface Desktop {
  readonly platform: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/**
 * The address as it may be handed to another program. The authorization server wrote it: it has to be a web address
 * (and so cannot begin with a dash), and no character of it means anything to a shell, though none is asked.
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
  return new PortolanError(ErrorCode.ConnectionError, `the sign-in page is not opened: ${why}`, {
    hint: 'the authorization server named it; tell whoever runs the server',
  });
}

/** Shows a page to the person at this machine; false where no browser can be opened. Never through a shell. */
export async function openBrowser(address: URL, desktop: Desktop = process): Promise<boolean> {
  const page = browsable(address);
  for (const [command, ...words] of openersFor(desktop)) {
    if (command !== undefined && (await starts(command, [...words, page], desktop))) return true;
  }
  return false;
}

/** What a person chose goes first: programs by their names, as `BROWSER` lists them. One that needs a shell is passed by. */
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
      // Without a screen, xdg-open would start a browser for text in the terminal that we print on.
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

import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { serveWrongMetadata, type WrongMetadata } from '../fixtures/oauth/wrong-metadata-server.js';
import { makeTarget, type Target } from '../support/attacks.js';
import { configure, start, until } from '../support/client-over-stdio.js';

// oauth.test.ts signs in at a real authorization server, address-rules.test.ts tests addresses.

const SIGN_IN_LIMIT_MS = 20_000;

interface Attempt {
  /** The arguments of the browser, or undefined if it was not started. */
  readonly browser: readonly string[] | undefined;
  readonly status: number | null;
  readonly stderr: string;
  readonly seen: readonly string[];
}

/** Signs in to a server with false OAuth metadata. The browser is a script that records its arguments. */
async function signInTo(target: Target, lies: WrongMetadata): Promise<Attempt> {
  const { machine } = target;
  const [browser, opened] = [machine.path('~/browser'), machine.path('~/opened')];
  writeFileSync(browser, `#!/bin/sh\nprintf '%s\\n' "$@" > ${opened}.part\nmv ${opened}.part ${opened}\n`);
  chmodSync(browser, 0o755);
  await using server = await serveWrongMetadata(lies);
  configure(machine, { locked: { url: server.url } });
  await using login = start(machine, { args: ['login', 'locked'], env: { BROWSER: browser, ...target.recorded } });
  let status: number | null = null;
  let isOver = false;
  void login.exited.then(({ code }) => {
    [status, isOver] = [code, true];
  });
  await until(
    () => isOver || existsSync(opened),
    (done) => done,
    SIGN_IN_LIMIT_MS,
  );
  // Otherwise it would wait for the redirect from the page.
  if (!isOver) login.signal('SIGTERM');
  await login.exited;
  const recorded = existsSync(opened) ? readFileSync(opened, 'utf8').trimEnd().split('\n') : undefined;
  return { browser: recorded, status, stderr: login.stderr, seen: server.seen };
}

describe.skipIf(process.platform === 'win32')(
  'shell in an OAuth endpoint (CVE-2025-6514)',
  { tags: 'S14', concurrent: true },
  () => {
    it.each([
      'ORIGIN/authorize?a=$(touch MARK)',
      'ORIGIN/authorize?a=`touch MARK`',
      'ORIGIN/authorize?a=";touch MARK;"',
      "ORIGIN/authorize?a=';touch MARK;'",
      'ORIGIN/authorize?a=|touch MARK',
      'ORIGIN/authorize?a=&touch MARK&',
      'ORIGIN/authorize?a=\ntouch MARK\n',
      'ORIGIN/$(touch${IFS}MARK)',
      'ORIGIN/authorize?a=%22&calc.exe&%22',
      'ORIGIN/authorize?a=$(Start-Process calc)',
      'ORIGIN/authorize?a=${PATH}^<x>!HOME!',
      'ORIGIN/authorize#$(touch MARK)',
      'ORIGIN/authorize?a=\u202e--gpu-launcher=touch',
    ])('passes an address to the browser as one argument without shell characters: %s', async (endpoint) => {
      using target = makeTarget();
      const written = endpoint.replaceAll('MARK', target.mark('evil'));
      const { browser } = await signInTo(target, { issuer: { authorization_endpoint: written } });
      expect(browser).toEqual([expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/[\w\-.~:/?#[\]@&=+%,]*$/)]);
      expect(target.ran()).toEqual([]);
    });

    it.each([
      'a:$(touch MARK)?response_type=code',
      'file:///bin/sh',
      'file://evil.example/share/run.exe',
      'javascript:alert(document.cookie)',
      'data:text/html,<script>1</script>',
      'smb://evil.example/share',
      'ms-msdt:/id PCWDiagnostic',
      'vscode://evil.extension/run',
      'ssh://-oProxyCommand=touch MARK/',
      '--new-window',
      '-oProxyCommand=touch MARK',
      'http://user:word@127.0.0.1/authorize',
      'http://169.254.169.254/latest/meta-data',
      'http://router.example/authorize',
      'https://10.0.0.1/authorize',
      'https://[fe80::1]/authorize',
    ])('does not open an address that cannot be a sign-in page: %s', async (endpoint) => {
      using target = makeTarget();
      const written = endpoint.replaceAll('MARK', target.mark('evil'));
      const { browser, status, stderr } = await signInTo(target, { issuer: { authorization_endpoint: written } });
      expect([browser, status, target.ran()]).toEqual([undefined, 1, []]);
      expect(stderr).toMatch(/^[A-Z_]+: /);
    });
  },
);

describe.skipIf(process.platform === 'win32')(
  'SSRF to link-local while signing in (CVE-2026-26118)',
  { tags: 'S14', concurrent: true },
  () => {
    const METADATA = [
      'http://169.254.169.254',
      'http://0xa9fea9fe',
      'http://2852039166',
      'http://0251.0376.0251.0376',
      'http://[::ffff:169.254.169.254]',
      'http://[fd00:ec2::254]',
      'http://metadata.google.internal',
      'http://100.100.100.200',
    ];

    it.each(METADATA)('does not connect to %s as an authorization server', async (address) => {
      using target = makeTarget();
      const { browser, status } = await signInTo(target, { resource: { authorization_servers: [address] } });
      expect([browser, status, target.connects()]).toEqual([undefined, 1, ['127.0.0.1']]);
    });

    it.each(METADATA.map((address) => address.replace('http:', 'https:')))(
      'does not connect to %s for metadata, registration or tokens',
      async (address) => {
        using target = makeTarget();
        const endpoints = { registration_endpoint: `${address}/register`, token_endpoint: `${address}/token` };
        const { browser, status } = await signInTo(target, {
          resourceMetadata: `${address}/latest/`,
          issuer: endpoints,
        });
        expect([browser, status, target.connects()]).toEqual([undefined, 1, ['127.0.0.1']]);
      },
    );

    it('does not connect to a metadata service that an entry names', async () => {
      using target = makeTarget();
      configure(target.machine, { cloud: { url: 'http://169.254.169.254/latest', headers: { 'X-Key': 'canary' } } });
      const { status } = await target.run(['login', 'cloud'], target.recorded);
      expect([status, target.connects()]).toEqual([1, []]);
    });
  },
);

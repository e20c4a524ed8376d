import { mkdtempSync, readFileSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { describe, expect, it } from 'vitest';
import { admit } from '../src/policy/index.js';
import { authProviderFor, credentialStore, signedIn, signIn, signOut } from '../src/upstream/oauth/index.js';
import { definition } from './fakes/definition.js';
import { loadProvider, startAuthorizationServer } from './fixtures/oauth/authorization-server.js';
import { startResourceServer } from './fixtures/oauth/resource-server.js';
import { browse } from './fixtures/oauth/scripted-browser.js';

const Provider = await loadProvider();

describe.runIf(Provider)('x', () => {
  it('signs in', async () => {
    if (!Provider) throw new Error();
    await using as = await startAuthorizationServer(Provider);
    await using rs = await startResourceServer(as);
    const server = admit('locked', definition({ url: rs.mcp, oauth: {scopes: 'openid email mcp:read'} }), { kind: 'allowed' });
    if (!server) throw new Error();
    const store = credentialStore(join(mkdtempSync(join(tmpdir(), 'p-')), 'state', 'credentials.json'));
    const who = await signIn(server, store, {
      openBrowser: async (page) => { console.log(page.href); void browse(page).then(async r => console.log(r.status, await r.text()), console.error); return true; },
      print: (p, o) => console.log(p, o),
    });
    console.log(who, readFileSync(store.path, 'utf8'), statSync(store.path).mode.toString(8));
    const client = new Client({ name: 't', version: '1' });
    const provider = authProviderFor(server, store);
    await client.connect(new StreamableHTTPClientTransport(new URL(rs.mcp), { authProvider: provider! }));
    console.log(JSON.stringify(await client.callTool({ name: 'secret', arguments: {} })));
    console.log(signedIn(store), await signOut(rs.mcp, store), as.grants, as.paths);
  });
});

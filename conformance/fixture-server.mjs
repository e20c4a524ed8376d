// A server with everything the official conformance suite asks for: over stdio, or with `--http [port]` on loopback. With
// `--older-style` its tools send requests to the client even where the revision has none, as tools did before.
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { makeFetchHandler } from './fixture/http.mjs';
import { makeServer } from './fixture/make-server.mjs';
import { serveFetch } from './fixture/serve-fetch.mjs';

const words = process.argv.slice(2);
const isOlderStyle = words.includes('--older-style');
const [flag, given = '0'] = words.filter((word) => word !== '--older-style');
if (flag === '--http') {
  const port = await serveFetch(makeFetchHandler({ isOlderStyle }), Number(given));
  process.stdout.write(`http://127.0.0.1:${port}/mcp\n`);
  // The caller holds the other end, so this process ends if the caller is killed.
  process.stdin.resume().once('end', () => process.exit(0));
} else if (flag === undefined) {
  serveStdio(({ era }) => makeServer(era, { isLasting: true, isOlderStyle }));
} else {
  process.stderr.write('usage: fixture-server.mjs [--http [port]] [--older-style]\n');
  process.exitCode = 2;
}

#!/usr/bin/env node
import { pipe } from './serve-through-daemon.js';

// Most starts only connect a client to the daemon, so all other modules are loaded on demand.
// No top-level `await`: this file is also built as CommonJS, which starts faster.
void pipe(process.argv.slice(2)).then((isServed) => (isServed ? undefined : import('./program.js')));

#!/usr/bin/env node
import { pipe } from './serve-through-daemon.js';

// Most starts are made by clients that only need to reach the daemon: everything else is loaded by those who need it.
// No `await` at the top: this is also built as CommonJS, which starts sooner.
void pipe(process.argv.slice(2)).then((isServed) => (isServed ? undefined : import('./program.js')));

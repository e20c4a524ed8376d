#!/usr/bin/env node
import { pipe } from './pipe.js';

// Most starts are made by clients that only need to reach the daemon: everything else is loaded by those who need it.
const code = await pipe(process.argv.slice(2));
if (code === undefined) await import('./program.js');
else process.exitCode = code;

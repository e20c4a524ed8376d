// The limit for any gateway: a process that parses each message, forwards it and does nothing else. `bare-proxy.mjs
// <command> [args…]`
import { spawn } from 'node:child_process';
import { LineSplitter } from '../line-splitter.mjs';

const [command, ...args] = process.argv.slice(2);
const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
child.on('exit', () => process.exit(0));

function forward(from, to) {
  const lines = new LineSplitter((line) => to.write(`${JSON.stringify(JSON.parse(line.toString('utf8')))}\n`));
  from.on('data', (chunk) => lines.push(chunk));
}
forward(process.stdin, child.stdin);
forward(child.stdout, process.stdout);
process.stdin.on('end', () => child.stdin.end());

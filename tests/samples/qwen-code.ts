import { createHash } from 'node:crypto';
import type { Samples } from './sample.js';

/** The hash that Qwen Code stores for an entry: its JSON with sorted keys, without cosmetic fields. */
const hash = (text: string) => createHash('sha256').update(text).digest('hex');

const decisions = (folder: string, records: Readonly<Record<string, { hash: string; status: string }>>) =>
  JSON.stringify({ [folder]: records });

const APPROVED = hash('{"args":["own.js"],"command":"node","env":{"A":"1","B":"2"}}');

export const qwenCode: Samples = {
  client: 'qwen-code',
  samples: [
    {
      title: 'reads the format of Gemini CLI, and disables servers with its lists',
      files: {
        '~/.qwen/settings.json': `{
  "mcp": { "excluded": ["out"] },
  "mcpServers": {
    "files": { "command": "$BIN", "env": { "W": "%BIN%" }, "timeout": 7000, "discoveryTimeoutMs": 900 },
    "stream": { "httpUrl": "https://stream.example/mcp", "excludeTools": ["drop"] },
    "out": { "url": "https://out.example/mcp" } /* off */
  }
}`,
      },
      env: { BIN: 'node' },
      expected: (platform) => [
        {
          name: 'files',
          client: 'qwen-code',
          scope: 'user',
          line: 4,
          state: 'ready',
          command: 'node',
          env: { W: platform === 'win32' ? 'node' : '%BIN%' },
          timeoutMs: 7000,
          startupTimeoutMs: 900,
          precedence: 10,
          written: { command: '$BIN' },
        },
        { name: 'stream', transport: 'http', tools: { deny: ['drop'] } },
        { name: 'out', transport: 'auto', state: 'disabled', enabled: false },
      ],
    },
    {
      title: 'marks servers of both project files as pending until they are approved',
      files: {
        '<project>/.mcp.json': '{"mcpServers":{"own":{"type":"sse","url":"https://own.example/sse"}}}',
        '<project>/.qwen/settings.json': '{"mcpServers":{"own":{"httpUrl":"https://own.example/mcp"}}}',
      },
      expected: [
        { name: 'own', scope: 'project', transport: 'sse', state: 'pending-approval', precedence: 20 },
        { name: 'own', scope: 'project', transport: 'http', state: 'pending-approval', precedence: 30 },
      ],
    },
    {
      title: 'reads QWEN_HOME, and applies a decision only to the same content',
      files: {
        '~/moved/settings.json': '{"mcpServers":{"user":{"command":"user-server"}}}',
        '~/.qwen/settings.json': '{"mcpServers":{"not-read":{"command":"x"}}}',
        '<project>/.mcp.json': `{ "mcpServers": {
  "own": { "env": { "B": "2", "A": "1" }, "command": "node", "args": ["own.js"], "description": "not part of it" },
  "short": { "command": "short" },
  "edited": { "command": "node", "args": ["edited.js", "--more"] },
  "no": { "command": "no" },
  "no-more": { "command": "no", "args": ["changed"] }
} }`,
        '<project>/.qwen/settings.json': '{"mcpServers":{"stream":{"httpUrl":"https://$PLACE/mcp","timeout":5}}}',
        '~/moved/mcpApprovals.json': decisions('<project>', {
          own: { hash: APPROVED, status: 'approved' },
          short: { hash: hash('{"command":"short"}'), status: 'approved' },
          edited: { hash: hash('{"args":["edited.js"],"command":"node"}'), status: 'approved' },
          no: { hash: hash('{"command":"no"}'), status: 'rejected' },
          'no-more': { hash: hash('{"command":"no"}'), status: 'rejected' },
          stream: { hash: hash('{"httpUrl":"https://s.example/mcp","timeout":5}'), status: 'approved' },
        }),
      },
      env: { QWEN_HOME: '<home>/moved', PLACE: 's.example' },
      expected: [
        { name: 'user', scope: 'user', source: '<home>/moved/settings.json', state: 'ready' },
        { name: 'own', state: 'ready' },
        { name: 'short', state: 'ready' },
        { name: 'edited', state: 'pending-approval' },
        { name: 'no', state: 'rejected' },
        { name: 'no-more', state: 'pending-approval' },
        { name: 'stream', state: 'ready', url: 'https://s.example/mcp' },
      ],
    },
    {
      title: 'reads the variable for the decisions, and ignores those of another project',
      files: {
        '<project>/.mcp.json':
          '{"mcpServers":{"here":{"command":"here"},"elsewhere":{"command":"elsewhere"},"old":{"url":"https://old.example"}}}',
        '~/decisions.json': JSON.stringify({
          '<project>': { here: { hash: hash('{"command":"here"}'), status: 'approved' } },
          '<home>': { elsewhere: { hash: hash('{"command":"elsewhere"}'), status: 'approved' } },
        }),
      },
      env: { QWEN_CODE_MCP_APPROVALS_PATH: '<home>/decisions.json' },
      expected: [
        { name: 'here', state: 'ready' },
        { name: 'elsewhere', state: 'pending-approval' },
        { name: 'old', transport: 'auto', state: 'pending-approval' },
      ],
      problems: ['url-without-type'],
    },
  ],
};

import { basename, join } from 'node:path';
import { type Host, variable } from '../../model/index.js';
import type { Client, Place } from '../client.js';
import { deprecated } from '../common-places.js';
import { continueDialect } from '../dialects/editor-dialects.js';
import { braced, expansion, type Rule, WHOLE_ENTRY } from '../expansion.js';
import { at, isFields } from '../fields.js';
import { type FileInfo, type Finder, type FoundEntries, membersOf, single, under } from '../find-entries.js';
import { resolveTemplate } from '../path-template.js';
import { readEnvFile } from './gemini-family.js';

const HOME = '<CONTINUE_GLOBAL_DIR|~/.continue>';

/** `${{ secrets.NAME }}`: from the environment or one of two `.env` files. */
const secret: Rule = {
  pattern: String.raw`\$\{\{\s*secrets\.([\w.-]+)\s*\}\}`,
  meaning(name, { host, variables }) {
    const value = variable(host, name) ?? variables[name];
    return value === undefined ? { kind: 'missing', name } : { kind: 'value', value };
  },
};

/** `${{ inputs.NAME }}`: requested when a block is added. */
const blockInput: Rule = {
  pattern: String.raw`\$\{\{\s*inputs\.([\w.-]+)\s*\}\}`,
  meaning: (id) => ({ kind: 'input', id }),
};

function secretsOf(host: Host): Record<string, string> {
  const [own] = resolveTemplate(`${HOME}/.env`, host);
  const files = { ...readEnvFile(join(host.cwd, '.env'), host), ...(own && readEnvFile(own.path, host)) };
  // The environment has precedence.
  return Object.fromEntries(Object.entries(files).filter(([name]) => variable(host, name) === undefined));
}

function withSecrets(find: Finder): Finder {
  return (root, file) => {
    const found = find(root, file);
    if (found.entries.length === 0) return found;
    const variables = secretsOf(file.host);
    return { ...found, entries: found.entries.map((entry) => ({ ...entry, variables })) };
  };
}

/** A map of servers, a state file of Claude Code with its projects, or a single entry named after its file. */
const dropIn: Finder = (root, file: FileInfo): FoundEntries => {
  if (!isFields(root)) return under('mcpServers')(root, file);
  const projects = isFields(root.projects) ? Object.entries(root.projects) : [];
  const found = [
    membersOf(root.mcpServers, ['mcpServers']),
    ...projects.map(([folder, project]) => membersOf(at(project, 'mcpServers'), ['projects', folder, 'mcpServers'])),
  ];
  const entries = found.flatMap((one) => one.entries);
  if (entries.length === 0 && (root.command !== undefined || root.url !== undefined)) {
    const name =
      typeof root.name === 'string' && root.name !== '' ? root.name : basename(file.source).replace(/\.json$/, '');
    return single(name, root, []);
  }
  return { entries, problems: found.flatMap((one) => one.problems) };
};

/** The first format: a list without names, each with its transport in a nested map. */
const firstFormat: Finder = (root) => {
  const list = at(root, 'experimental', 'modelContextProtocolServers');
  const entries = (Array.isArray(list) ? list : []).map((value: unknown, n) => {
    const transport = at(value, 'transport');
    const name = at(value, 'name');
    return {
      name: typeof name === 'string' && name !== '' ? name : `mcp-${n + 1}`,
      value: isFields(transport) ? transport : value,
      path: ['experimental', 'modelContextProtocolServers', n],
    };
  });
  return { entries, problems: [] };
};

const yaml = {
  format: 'yaml',
  find: withSecrets(under('mcpServers')),
  dialect: continueDialect,
  expansion: expansion([secret, blockInput], { fields: WHOLE_ENTRY }),
} satisfies Partial<Place>;
const json = {
  format: 'json',
  find: withSecrets(dropIn),
  dialect: continueDialect,
  expansion: expansion([secret, blockInput, braced], { fields: WHOLE_ENTRY }),
} satisfies Partial<Place>;

export const continueDev: Client = {
  id: 'continue',
  name: 'Continue',
  places: [
    {
      ...yaml,
      scope: 'user',
      path: `${HOME}/config.yaml`,
      precedence: 10,
      install: {
        key: ['mcpServers'],
        list: true,
        entry: (program, name) => ({ name, ...program }),
        blank: 'name: Local Config\nversion: 1.0.0\nschema: v1\n',
      },
    },
    { ...yaml, scope: 'user', path: `${HOME}/mcpServers/**/*.{yaml,yml}`, precedence: 20 },
    { ...json, scope: 'user', path: `${HOME}/mcpServers/**/*.json`, precedence: 20 },
    { ...yaml, scope: 'project', path: '<project>/.continue/mcpServers/**/*.{yaml,yml}', precedence: 20 },
    { ...json, scope: 'project', path: '<project>/.continue/mcpServers/**/*.json', precedence: 20 },
    {
      ...json,
      scope: 'user',
      path: `${HOME}/config.json`,
      find: firstFormat,
      precedence: 5,
      remark: deprecated(
        'Continue replaced config.json with config.yaml',
        'move the servers to config.yaml, under "mcpServers"',
      ),
    },
  ],
};

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { diskFiles } from '../../src/base/index.js';
import { discover } from '../../src/discovery/index.js';
import type { Host, Platform } from '../../src/model/index.js';
import { maskScanResult, ScanResult } from '../../src/model/index.js';
import { InvalidEntry, isFields } from '../../src/sources/fields.js';
import type { Format } from '../../src/sources/formats/document.js';
import { parseText } from '../../src/sources/formats/index.js';
import { CLIENTS } from '../../src/sources/index.js';
import { allSamples } from '../samples/index.js';
import { makeMachine, PLATFORMS } from '../support/machine.js';

const FORMATS: readonly Format[] = ['json', 'json5', 'toml', 'yaml', 'front-matter', 'text'];

/** Tokens that a parser, dialect or rule treats specially, so that random texts reach more code. */
const TOKENS = [
  ...['mcpServers', 'servers', 'mcp', 'mcp_servers', 'context_servers', 'extensions', 'registry', 'projects', 'inputs'],
  ...['command', 'args', 'env', 'cwd', 'url', 'headers', 'type', 'transport', 'disabled', 'enabled', 'timeout', 'name'],
  ...['cmd', 'envs', 'env_keys', 'environment', 'serverUrl', 'httpUrl', 'tcp', 'uri', 'oauth', 'auth', 'tools', 'id'],
  ...['stdio', 'http', 'sse', 'ws', 'sdk', 'local', 'remote', 'builtin', 'sse-ide', 'claudeai-proxy', 'platform'],
  ...['__proto__', 'constructor', 'toString', 'hasOwnProperty', '', ' ', '\0', '\n', 'portolan', 'npx', 'cmd', 'sh'],
  ...['${A}', '${A:-', '${env:A}', '{env:A}', '{file:/}', '${input:a}', '$(', '$A', '%A%', '{{A}}', '${{ secrets.A }}'],
  ...['---', '- ', ': ', '[', ']', '{', '}', '"', "'", '\\', '//', '/*', '*/', '#', '&a', '*a', '<<', '!!', '|', '='],
];
const token = fc.constantFrom(...TOKENS);
const text = fc.oneof(
  token,
  fc.string(),
  fc.string({ unit: 'binary' }),
  fc.array(token).map((words) => words.join('')),
);
const key = fc.oneof({ weight: 4, arbitrary: token }, { weight: 1, arbitrary: fc.string() });
const plain = fc.oneof(
  text,
  fc.double(),
  fc.integer(),
  fc.boolean(),
  fc.constantFrom(null, undefined, 10n, Number.NaN),
);
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, depthSize: 'small' },
    plain,
    fc.array(tie('value'), { maxLength: 4 }),
    fc.array(fc.tuple(key, tie('value')), { maxLength: 6 }).map((pairs) => Object.fromEntries(pairs)),
  ),
}));

describe('every parser', () => {
  it.each(FORMATS)('parses or rejects any text as %s', async (format) => {
    await fc.assert(
      fc.asyncProperty(text, async (hostile) => {
        const parsed = await parseText(hostile, format);
        if (parsed.kind === 'broken') {
          expect(parsed).toMatchObject({ message: expect.stringMatching(/^[^\n]+$/), line: expect.any(Number) });
          expect(parsed.line).toBeGreaterThan(0);
        } else {
          expect(() => parsed.document.lineOf(['mcpServers', 'a'])).not.toThrow();
          expect(() => parsed.document.lineOf(['mcpServers', 0, 'a'])).not.toThrow();
        }
      }),
      { numRuns: 1_000 },
    );
  });

  it.each(FORMATS)('parses or rejects any bytes as %s', async (format) => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), async (bytes) => {
        expect((await parseText(Buffer.from(bytes).toString(), format)).kind).toMatch(/^(?:parsed|broken)$/);
      }),
      { numRuns: 500 },
    );
  });
});

function host(platform: Platform): Host {
  const env = { A: 'value', EMPTY: '' };
  return { platform, home: '/h', cwd: '/p', repository: undefined, env, root: '/r', files: diskFiles, self: undefined };
}

const places = CLIENTS.flatMap(({ id, places: own }) => own.map((place) => ({ id, place })));
const read = () => Promise.resolve({ kind: 'absent' as const });

describe('every finder and dialect', () => {
  const finders = [...new Map(places.map((one) => [one.place.find, one])).values()];
  it('returns entries or problems for any value', async () => {
    await fc.assert(
      fc.asyncProperty(value, fc.constantFrom(...PLATFORMS), async (root, platform) => {
        for (const { place } of finders) {
          const source = '/h/plugins/cache/m/p/1/.mcp.json';
          const { entries, problems } = await place.find(root, { source, host: host(platform), read });
          for (const { name } of entries) expect(typeof name).toBe('string');
          for (const { code, message, hint } of problems) expect([code, message, hint]).not.toContain('');
        }
      }),
      { numRuns: 500 },
    );
  });

  const dialects = [...new Map(places.map((one) => [one.place.dialect, one])).values()];
  it('returns a server, nothing or InvalidEntry for any entry', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(key, value), { maxLength: 8 }), (pairs) => {
        const entry: unknown = Object.fromEntries(pairs);
        for (const { id, place } of dialects) {
          try {
            if (isFields(entry)) place.dialect(entry);
          } catch (error) {
            expect({ id, error }).toEqual({ id, error: expect.any(InvalidEntry) });
          }
        }
      }),
      { numRuns: 1_500 },
    );
  });

  const expansions = [...new Map(places.map((one) => [one.place.expansion, one])).values()];
  it('expands any text once, and never the result of an expansion', () => {
    const variables = { ONCE: '${TWICE} $TWICE {env:TWICE} ${env:TWICE}', TWICE: 'expanded twice', A: 'a' };
    const references = fc.constantFrom(
      '${ONCE}',
      '$ONCE',
      '{env:ONCE}',
      '${env:ONCE}',
      '${{ secrets.ONCE }}',
      '$env:ONCE',
    );
    fc.assert(
      fc.property(
        fc.array(fc.oneof(references, text), { maxLength: 4 }),
        fc.constantFrom(...PLATFORMS),
        (parts, platform) => {
          const context = { host: host(platform), folder: '/h', variables, readFile: () => '${TWICE}' };
          for (const { place } of expansions) {
            const written = parts.join('').replaceAll('TWICE', '');
            expect(place.expansion.expand(written, context, 'args').text).not.toContain('expanded twice');
          }
        },
      ),
      { numRuns: 500 },
    );
  });
});

const samples = (await allSamples()).flatMap(({ client, samples: own }) =>
  own.flatMap(({ files, env = {}, platforms = PLATFORMS }) =>
    platforms.slice(0, 1).map((platform) => ({
      client,
      platform,
      env,
      files: typeof files === 'function' ? files(platform) : files,
    })),
  ),
);

/** One random edit of a text. */
const edit = fc.record({ at: fc.double({ min: 0, max: 1, noNaN: true }), kind: fc.nat(4), insert: text });
type Edit = { readonly at: number; readonly kind: number; readonly insert: string };

function edited(bytes: string, { at, kind, insert }: Edit): string {
  const index = Math.floor(at * bytes.length);
  switch (kind) {
    case 0:
      return bytes.slice(0, index);
    case 1:
      return `${bytes.slice(0, index)}${bytes.slice(index + 1)}`;
    case 2:
      return `${bytes.slice(0, index)}${insert}${bytes.slice(index)}`;
    case 3:
      return `${bytes.slice(0, index)}${String.fromCharCode(bytes.charCodeAt(index) ^ 1)}${bytes.slice(index + 1)}`;
    default:
      return `${bytes.slice(index)}${bytes.slice(0, index)}`;
  }
}

describe('the scan', () => {
  it('returns a valid result for damaged samples', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...samples),
        fc.array(edit, { minLength: 1, maxLength: 3 }),
        async (sample, edits) => {
          using machine = makeMachine();
          const damaged = Object.entries(sample.files).map(([path, file]) => [path, edits.reduce(edited, file)]);
          machine.write(Object.fromEntries(damaged));
          const { platform, client, env } = sample;
          const result = await discover(machine.options({ platform, env, clients: [client] }));
          expect(ScanResult.parse(result)).toEqual(result);
          expect(ScanResult.parse(maskScanResult(result))).toEqual(maskScanResult(result));
          for (const { source } of result.problems) expect(source).toEqual(expect.any(String));
        },
      ),
      { numRuns: 1_500 },
    );
  });
});

describe('the other files that a client reads', () => {
  /** The files that a scan of the sample tries to read besides its own. */
  async function otherFilesReadBy({ client, platform, env, files }: (typeof samples)[number]): Promise<string[]> {
    using machine = makeMachine();
    machine.write(files);
    const readPaths: string[] = [];
    const record = (path: string) => {
      readPaths.push(path);
      return diskFiles.read(path);
    };
    await discover(machine.options({ platform, env, clients: [client], files: { ...diskFiles, read: record } }));
    const own = new Set(Object.keys(files).map((template) => machine.path(template)));
    const templates = [
      { root: machine.home, as: '~' },
      { root: machine.project, as: '<project>' },
      { root: machine.root, as: '' },
    ].flatMap(({ root, as }) =>
      readPaths
        .filter((path) => !own.has(path) && path.startsWith(`${root}/`))
        // An invalid settings file of Portolan ends the start, which other tests cover.
        .filter((path) => !/[\\/](anygpt|portolan)\.config\.|portolan[\\/]managed-settings/.test(path))
        .map((path) => `${as}${path.slice(root.length)}`),
    );
    return [...new Set(templates)];
  }

  it('may contain anything without making the result invalid', async () => {
    const first = [...new Map(samples.map((sample) => [sample.client, sample])).values()];
    const cases = await Promise.all(
      first.map(async (sample) => ({ sample, otherFiles: await otherFilesReadBy(sample) })),
    );
    const withOtherFiles = cases.filter(({ otherFiles }) => otherFiles.length > 0);
    expect(withOtherFiles.length).toBeGreaterThan(10);
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...withOtherFiles), value, async ({ sample, otherFiles }, hostile) => {
        using machine = makeMachine();
        const json = JSON.stringify(hostile, (_, item) => (typeof item === 'bigint' ? 7 : item)) ?? '';
        machine.write({ ...Object.fromEntries(otherFiles.map((path) => [path, json])), ...sample.files });
        const { platform, client, env } = sample;
        const result = await discover(machine.options({ platform, env, clients: [client] }));
        expect(ScanResult.parse(result)).toEqual(result);
      }),
      { numRuns: 1_000 },
    );
  });
});

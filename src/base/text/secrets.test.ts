import { describe, expect, it } from 'vitest';
import { isReference, isSecretName, looksSecret, maskArgs, maskCommandLine, maskText, maskUrl } from './secrets.js';

describe('isSecretName', () => {
  it.each([
    ...['API_KEY', 'apiKey', 'OPENAIKEY', 'GITHUB_TOKEN', 'accessToken', 'CLIENT_SECRET', 'PGPASSWORD', 'DB_PASS'],
    ...['MYSQL_PWD', 'AWS_CREDENTIALS', 'google_credential', 'passwd', 'SSH_PASSPHRASE', 'Authorization', 'GITHUB_PAT'],
    ...['--api-key', '-token', 'KEY', 'x-api-key', 'KEYBOARD_KEY'],
  ])('%s is true', (name) => {
    expect(isSecretName(name)).toBe(true);
  });

  it.each([
    ...['PATH', 'HOME', 'PWD', 'OLDPWD', 'LOG_LEVEL', 'MONKEY', 'monkey_count', 'turkey', '--keyboard', 'KEYWORDS'],
    ...['keymap', 'KEYSPACE', 'TOKENIZER', 'tokenizers_parallelism', '--dir', '-y', 'COMPASS', 'pattern', ''],
  ])('%s is false', (name) => {
    expect(isSecretName(name)).toBe(false);
  });
});

const TOKENS = [
  'ghp_0123456789abcdef',
  'gho_0123456789abcdef',
  'github_pat_11ABC_def',
  'glpat-0123456789',
  'sk-abc123',
  'sk-proj-abc_DEF-123',
  'sk-ant-api03-abc',
  'xoxb-1-2-abc',
  'xoxp-123456',
  'AKIAIOSFODNN7EXAMPLE',
];

describe('tokens of a well-known format', () => {
  it.each(TOKENS)('%s is found anywhere in a text', (token) => {
    const texts = [token, `Bearer ${token}`, `--x=${token}`, `https://a.example/${token}/mcp`, `"${token}"`];
    expect(texts.map(looksSecret)).toEqual(texts.map(() => true));
    expect(texts.map(maskText).filter((text) => text.includes(token))).toEqual([]);
  });

  it.each([
    ...['task-master-ai', 'disk-usage-server', 'ask-questions', 'sk-SK', 'risk-sk-report', 'npm_config_registry'],
    ...['hf_cache', 'xoxo', '/etc/keys', 'AKIA', 'github-server', 'ordinary text'],
  ])('%s is not a token', (text) => {
    expect([looksSecret(text), maskText(text)]).toEqual([false, text]);
  });
});

describe('maskUrl', () => {
  it.each([
    ['https://a.example/mcp?page=2', 'https://a.example/mcp?page=2'],
    ['https://me:pw@a.example/mcp', 'https://[secret]@a.example/mcp'],
    ['https://me@a.example/', 'https://[secret]@a.example/'],
    ['https://me:p@w@a.example/', 'https://[secret]@a.example/'],
    ['postgres://me:pw@db:5432/x', 'postgres://[secret]@db:5432/x'],
    ['https://a.example/@scope/x', 'https://a.example/@scope/x'],
    ['https://a.example/?api_key=abc&page=2', 'https://a.example/?api_key=[secret]&page=2'],
    ['https://a.example/?x=1&access%5Ftoken=abc#top', 'https://a.example/?x=1&access%5Ftoken=[secret]#top'],
    ['https://a.example/?sig=abc', 'https://a.example/?sig=[secret]'],
    ['https://a.example/?monkey=abc', 'https://a.example/?monkey=abc'],
    ['https://a.example/sk-abcdef/mcp', 'https://a.example/[secret]/mcp'],
    ['https://a.example/?token=${TOKEN}', 'https://a.example/?token=[secret]'],
    ['https://a.example/?%zz=1&token=a', 'https://a.example/?%zz=1&token=[secret]'],
    ['plain text', 'plain text'],
  ])('shows %s as %s', (url, shown) => {
    expect(maskUrl(url)).toBe(shown);
  });

  it('keeps references if they may be shown', () => {
    expect(maskUrl('https://a.example/?token=${TOKEN}&key=abc', 'shown')).toBe(
      'https://a.example/?token=${TOKEN}&key=[secret]',
    );
  });
});

describe('maskArgs', () => {
  it.each([
    { args: ['--api-key', 'abc', 'rest'], shown: ['--api-key', '[secret]', 'rest'] },
    { args: ['--token=abc', '-token', 'abc'], shown: ['--token=[secret]', '-token', '[secret]'] },
    { args: ['--password', '--verbose'], shown: ['--password', '--verbose'] },
    { args: ['-H', 'Authorization: Bearer abc'], shown: ['-H', 'Authorization: [secret]'] },
    { args: ['--header', 'X-API-Key:abc'], shown: ['--header', 'X-API-Key:[secret]'] },
    { args: ['--header=Authorization: abc'], shown: ['--header=Authorization: [secret]'] },
    { args: ['-e', 'API_KEY=abc', '-e', 'LEVEL=debug'], shown: ['-e', 'API_KEY=[secret]', '-e', 'LEVEL=debug'] },
    { args: ['--env=API_KEY=abc'], shown: ['--env=API_KEY=[secret]'] },
    { args: ['--db=postgres://me:pw@db/x'], shown: ['--db=postgres://[secret]@db/x'] },
    { args: ['https://a.example/?key=abc'], shown: ['https://a.example/?key=[secret]'] },
    { args: ['ghp_0123456789'], shown: ['[secret]'] },
    { args: ['--config', '{"apiKey":"abc","level":"x"}'], shown: ['--config', '{"apiKey":"[secret]","level":"x"}'] },
    { args: ['-c', 'cd / && A_KEY=abc x --key "a b"'], shown: ['-c', 'cd / && A_KEY=[secret] x --key [secret]'] },
    // names that only resemble the name of a secret
    { args: ['--keyboard', 'us', 'monkey'], shown: ['--keyboard', 'us', 'monkey'] },
    { args: ['--dir', '/etc/keys'], shown: ['--dir', '/etc/keys'] },
    { args: ['-y', '@acme/token-server@1.0', 'secrets'], shown: ['-y', '@acme/token-server@1.0', 'secrets'] },
    { args: ['-y', 'task-master-ai'], shown: ['-y', 'task-master-ai'] },
    { args: ['C:\\keys\\a', '--port=8080'], shown: ['C:\\keys\\a', '--port=8080'] },
    { args: ['--token', '${TOKEN}'], shown: ['--token', '[secret]'] },
  ])('shows $args as $shown', ({ args, shown }) => {
    expect(maskArgs(args)).toEqual(shown);
  });

  it('keeps references if they may be shown, but not their default values', () => {
    const args = [
      '--token',
      '${TOKEN}',
      '--key=${env:KEY}',
      '--secret',
      '${SECRET:-abc}',
      '-H',
      'Authorization:${AUTH}',
    ];
    expect(maskArgs(args, 'shown')).toEqual([...args.slice(0, 4), '[secret]', ...args.slice(5)]);
  });
});

describe('maskCommandLine', () => {
  it.each([
    ['print-headers --token abc', 'print-headers --token [secret]'],
    [
      "curl -H 'Authorization: Bearer abc' https://me:pw@a.example",
      "curl -H 'Authorization: Bearer [secret]' https://[secret]@a.example",
    ],
    ['API_KEY=abc run --token $TOKEN', 'API_KEY=[secret] run --token $TOKEN'],
    ['/usr/bin/server', '/usr/bin/server'],
    ['server --keyboard us /etc/keys', 'server --keyboard us /etc/keys'],
  ])('shows %s as %s', (line, shown) => {
    expect(maskCommandLine(line)).toBe(shown);
  });

  it.each(['-', '?', '"', '\\"', 'a.', '://', 'sk-', '{', '$', '&=', ' ', '--key '])(
    'takes linear time for a long run of %j',
    (piece) => {
      const begin = performance.now();
      const text = piece.repeat(200_000 / piece.length);
      maskArgs([text, '--x', ` ${text}`]);
      maskUrl(text);
      expect(performance.now() - begin).toBeLessThan(5000);
    },
  );
});

describe('isReference', () => {
  it.each([
    '${TOKEN}',
    '${env:TOKEN}',
    'Bearer ${TOKEN}',
    '$TOKEN',
    '$env:Token',
    '%TOKEN%',
    '{env:TOKEN}',
    '{file:~/t}',
    '{{apiKey}}',
    '${input:key}',
    '${{ secrets.X }}',
  ])('%s is a reference', (text) => {
    expect(isReference(text)).toBe(true);
  });

  it.each(['abc', '$ecret', 'abc${TOKEN}', '${TOKEN:-abc}', '${cmd: echo abc}', '', '$1', '100%'])(
    '%s is none',
    (text) => {
      expect(isReference(text)).toBe(false);
    },
  );
});

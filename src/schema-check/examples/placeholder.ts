const BY_FORMAT: Readonly<Record<string, string>> = {
  'date-time': '2026-01-15T09:30:00Z',
  date: '2026-01-15',
  time: '09:30:00Z',
  duration: 'PT1H',
  email: 'ada@example.com',
  'idn-email': 'ada@example.com',
  hostname: 'example.com',
  ipv4: '192.0.2.1',
  ipv6: '2001:db8::1',
  uri: 'https://example.com/',
  url: 'https://example.com/',
  'uri-reference': '/path',
  iri: 'https://example.com/',
  uuid: '123e4567-e89b-42d3-a456-426614174000',
  regex: '^a+$',
  'json-pointer': '/a',
  binary: 'ZXhhbXBsZQ==',
  byte: 'ZXhhbXBsZQ==',
};

/** The first pattern that matches the name applies, so that `created_at` is a date and `file_url` a URL. */
const BY_NAME: readonly (readonly [RegExp, string])[] = [
  [/e_?mail/i, 'ada@example.com'],
  [/ur[il]$|^link$|website|endpoint/i, 'https://example.com/'],
  [/(date_?time|timestamp|_at|At)$/, '2026-01-15T09:30:00Z'],
  [/date|since|until|_on$/i, '2026-01-15'],
  [/time_?zone/i, 'Europe/Berlin'],
  [/director|folder|^(cwd|root|dir)$|_dir$|_root$/i, '/path/to/folder'],
  [/file_?name/i, 'notes.txt'],
  [/path|^file$/i, '/path/to/notes.txt'],
  [/sql/i, 'SELECT 1'],
  [/^q$|query|search|keyword|term$/i, 'example'],
  [/^owner$|organi[sz]ation|^org$/i, 'octo-org'],
  [/repo/i, 'hello-world'],
  [/branch|^(ref|base|head)$/i, 'main'],
  [/sha$|hash$|commit_?id/i, '9fceb02d0ae598e95dc970b74767f19372d61af8'],
  [/host|domain/i, 'example.com'],
  [/colou?r/i, '#3366ff'],
  [/lang|locale/i, 'en'],
  [/country/i, 'DE'],
  [/city|location/i, 'Berlin'],
  [/currency/i, 'EUR'],
  [/ids?$/i, 'abc123'],
  [/key$/i, 'example-key'],
  [/user|author|assignee/i, 'ada'],
  [/title|subject|summary|heading/i, 'A short title'],
  [/name|label|tag/i, 'example'],
  [/text|content|body|message|description|comment|prompt|note|question/i, 'Some text'],
  [/code|script|command|expression/i, 'echo hello'],
];

const PLAIN = 'example';

/** A realistic text for a field, based on its format or its name. */
export function placeholderText(name: string, format: string): string {
  if (Object.hasOwn(BY_FORMAT, format)) return BY_FORMAT[format] ?? PLAIN;
  return BY_NAME.find(([names]) => names.test(name.slice(0, 100)))?.[1] ?? PLAIN;
}

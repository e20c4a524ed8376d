import { expect, it } from 'vitest';
import { attackSuite } from '../sandbox/attack-suite.js';
import { ATTACKS } from '../sandbox/attacks.js';

it('holds at least 60 attacks', () => {
  expect(ATTACKS.length).toBeGreaterThanOrEqual(60);
  expect(new Set(ATTACKS.map(({ title }) => title)).size).toBe(ATTACKS.length);
});

// A minute in bubblewrap, and several where each attack needs a new interpreter of WebAssembly.
await attackSuite(['bwrap', 'pyodide', 'deno', 'podman', 'docker']);

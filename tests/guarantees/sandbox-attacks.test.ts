import { expect, it } from 'vitest';
import { attackSuite } from '../sandbox/attack-suite.js';
import { ATTACKS } from '../sandbox/attacks.js';

it('the corpus has at least 60 different attacks', () => {
  expect(ATTACKS.length).toBeGreaterThanOrEqual(60);
  expect(new Set(ATTACKS.map(({ title }) => title)).size).toBe(ATTACKS.length);
});

// Takes a minute with bubblewrap, and several minutes with an engine that starts WebAssembly for each attack.
await attackSuite(['bwrap', 'pyodide', 'deno', 'podman', 'docker']);

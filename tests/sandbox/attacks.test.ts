import { expect, it } from 'vitest';
import { attackSuite } from './attack-suite.js';
import { ATTACKS } from './attacks.js';

it('holds at least 60 attacks', () => {
  expect(ATTACKS.length).toBeGreaterThanOrEqual(60);
  expect(new Set(ATTACKS.map(({ title }) => title)).size).toBe(ATTACKS.length);
});

// A new interpreter for each attack costs a second in the engines that are WebAssembly: see tests/promises/sandbox-attacks.test.ts.
await attackSuite(['bwrap', 'podman', 'docker']);

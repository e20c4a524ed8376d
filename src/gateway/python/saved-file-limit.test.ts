import { expect, it } from 'vitest';
import { DEFAULT_LIMITS } from '../../sandbox/index.js';
import { DEFAULTS } from '../../settings/index.js';

it('has one default for the content of saved files', () => {
  expect(DEFAULT_LIMITS.fileBytes).toBe(DEFAULTS.sandbox.maxFileBytes);
});

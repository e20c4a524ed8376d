// Runs before each test file while coverage is measured: Node hands this variable on to every process that a test starts,
// whatever environment it was given, and each writes down what it ran when it ends. Set here and not for the whole run, so
// that the processes of the test runner itself, which counts by its own means, write nothing.
import { expect } from 'vitest';

/** They look at the whole environment of a process, to the last variable. */
const EXACT = ['upstream/process/child.test.ts', 'upstream/process/guardian.test.ts'];

const path = expect.getState().testPath?.replaceAll('\\', '/') ?? '';
if (!EXACT.some((name) => path.endsWith(name))) process.env.NODE_V8_COVERAGE = process.env.CHILD_COVERAGE;

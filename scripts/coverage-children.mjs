// Runs before each test file while coverage is measured. Node passes this variable to every process that a test starts,
// whatever environment that process gets, and each process writes its coverage when it exits. It is set here and not
// for the whole run, so that the processes of the test runner, which measures its own coverage, write nothing.
import { expect } from 'vitest';

/** These tests compare the complete environment of a process, so the variable must not be set. */
const EXACT = ['upstream/process/child.test.ts', 'upstream/process/guardian.test.ts'];

const path = expect.getState().testPath?.replaceAll('\\', '/') ?? '';
if (!EXACT.some((name) => path.endsWith(name))) process.env.NODE_V8_COVERAGE = process.env.CHILD_COVERAGE;

import type { Reporter, TestModule, Vitest } from 'vitest/node';
import { missingLine, programTags } from './programs.js';

/** Prints the tests that were skipped because a program is missing, and how to install it. Silent in a filtered run. */
export class ReportSkipped implements Reporter {
  #isFiltered = false;

  onInit({ config }: Vitest): void {
    this.#isFiltered = config.tagsFilter !== undefined || config.testNamePattern !== undefined;
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    if (this.#isFiltered) return;
    const missing = new Set<string>(programTags().flatMap(({ name, skip }) => (skip ? [name] : [])));
    const counts = new Map<string, number>();
    let others = 0;
    for (const module of modules)
      for (const test of module.children.allTests('skipped')) {
        const [program] = test.tags.filter((tag) => missing.has(tag));
        if (program === undefined) others += 1;
        else counts.set(program, (counts.get(program) ?? 0) + 1);
      }
    for (const [program, count] of counts) process.stdout.write(`${missingLine(program, count)}\n`);
    if (others > 0)
      process.stdout.write(
        `Skipped ${others} for another platform or user, or without the data beside the repository.\n`,
      );
  }
}

/** The suite's own summary of all scenarios or of one; failures that do not count for the revision are separate. */
export function score(output) {
  const total = /^Total: (\d+) passed, (\d+) failed/m.exec(output) ?? /^Passed: (\d+)\/\d+, (\d+) failed/m.exec(output);
  const [passed, failed] = [Number(total?.[1] ?? 0), Number(total?.[2] ?? 0)];
  const [summary = '', unscoredList = ''] = output.split(/^Not scored for /m);
  const unscored = new Set([...unscoredList.matchAll(/^ +[✓✗] (\S+) \(/gm)].map(([, name]) => name));
  const scenarios = [...summary.matchAll(/^([✓✗]) (\S+): (\d+) passed, (\d+) failed(.*)$/gm)].map(
    ([, mark, name, , failures, rest]) => ({ name, isBad: mark === '✗', failures: Number(failures), rest }),
  );
  return {
    passed,
    failed,
    unscored: scenarios.filter(({ name }) => unscored.has(name)).reduce((sum, { failures }) => sum + failures, 0),
    failing: scenarios
      .filter(({ name, isBad }) => isBad && !unscored.has(name))
      .map(({ name, failures, rest }) => `${name}: ${failures} failed${rest}`),
  };
}

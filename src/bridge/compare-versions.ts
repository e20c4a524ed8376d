/** Whether a version is newer than another. An invalid version is never newer, so it never replaces a daemon. */
export function isNewer(one: string, other: string): boolean {
  const [a, b] = [partsOf(one), partsOf(other)];
  if (!a || !b) return false;
  const at = a.numbers.findIndex((part, place) => part !== b.numbers[place]);
  if (at >= 0) return (a.numbers[at] ?? 0) > (b.numbers[at] ?? 0);
  // With equal numbers a pre-release is older than the release. Two pre-releases are not compared.
  return !a.isEarly && b.isEarly;
}

function partsOf(version: string): { readonly numbers: readonly number[]; readonly isEarly: boolean } | undefined {
  const [, numbers, early] = /^(\d{1,9}\.\d{1,9}\.\d{1,9})(-[\w.-]+)?(?:\+[\w.-]+)?$/.exec(version) ?? [];
  return numbers === undefined ? undefined : { numbers: numbers.split('.').map(Number), isEarly: early !== undefined };
}

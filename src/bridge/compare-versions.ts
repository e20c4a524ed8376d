/** Whether one version comes after another. What is no version comes after none, so that nothing is replaced by guess. */
export function isNewer(one: string, other: string): boolean {
  const [a, b] = [partsOf(one), partsOf(other)];
  if (!a || !b) return false;
  const at = a.numbers.findIndex((part, place) => part !== b.numbers[place]);
  if (at >= 0) return (a.numbers[at] ?? 0) > (b.numbers[at] ?? 0);
  // Of two with the same numbers the one that is only on its way to them is older; two of these are not compared.
  return !a.isEarly && b.isEarly;
}

function partsOf(version: string): { readonly numbers: readonly number[]; readonly isEarly: boolean } | undefined {
  const [, numbers, early] = /^(\d{1,9}\.\d{1,9}\.\d{1,9})(-[\w.-]+)?(?:\+[\w.-]+)?$/.exec(version) ?? [];
  return numbers === undefined ? undefined : { numbers: numbers.split('.').map(Number), isEarly: early !== undefined };
}

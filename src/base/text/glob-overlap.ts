/**
 * Longer pairs of patterns are assumed to overlap, because comparing takes time proportional to the product of their
 * lengths.
 */
const MAX_STEPS = 40_000;

/** Returns whether some text matches both patterns, in which `*` matches any run of characters. */
export function globsOverlap(a: string, b: string): boolean {
  if (a.length * b.length > MAX_STEPS) return true;
  // `after[j]`: whether the rest of `a` after the current character overlaps the rest of `b` from `j`.
  let after = lastRow(b);
  for (let i = a.length - 1; i >= 0; i -= 1) {
    const row: boolean[] = [];
    row[b.length] = a[i] === '*' && after[b.length] === true;
    for (let j = b.length - 1; j >= 0; j -= 1) {
      const isStar = a[i] === '*' || b[j] === '*';
      row[j] = isStar ? after[j] === true || row[j + 1] === true : a[i] === b[j] && after[j + 1] === true;
    }
    after = row;
  }
  return after[0] === true;
}

/** The row for an empty rest of `a`: the rest of `b` overlaps it only if it consists of stars. */
function lastRow(b: string): boolean[] {
  const row: boolean[] = [];
  row[b.length] = true;
  for (let j = b.length - 1; j >= 0; j -= 1) row[j] = b[j] === '*' && row[j + 1] === true;
  return row;
}

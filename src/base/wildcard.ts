/** Whether the text is the pattern with each `*` standing for any run of characters. Linear in both, whatever they hold. */
export function matchesWildcard(pattern: string, text: string): boolean {
  const parts = pattern.split('*');
  const [head = ''] = parts;
  if (parts.length === 1) return pattern === text;
  const tail = parts.at(-1) ?? '';
  if (text.length < head.length + tail.length || !text.startsWith(head) || !text.endsWith(tail)) return false;
  const end = text.length - tail.length;
  let from = head.length;
  // The earliest place for each part leaves the most room for the rest, so there is never a reason to go back.
  for (const part of parts.slice(1, -1)) {
    const found = text.indexOf(part, from);
    if (found < 0 || found + part.length > end) return false;
    from = found + part.length;
  }
  return true;
}

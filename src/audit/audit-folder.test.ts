import { describe, expect, it } from 'vitest';
import { leftoverHeads } from './audit-folder.js';

const headOf = (chain: string, file: string) => ({ chain, count: 0, hash: '0'.repeat(64), file, floor: '' });

describe('leftoverHeads', () => {
  it('returns the head of a chain whose files were deleted, and no head of a chain that has not begun', () => {
    const given = '20260101T000000000Z-7-aaaaaaaaaaaa.jsonl';
    const heads = new Map([
      ['7-aaaaaaaaaaaa', headOf('7-aaaaaaaaaaaa', given)],
      ['8-bbbbbbbbbbbb', headOf('8-bbbbbbbbbbbb', '')],
    ]);
    expect(leftoverHeads(heads, [], given, '9-cccccccccccc')).toEqual(['7-aaaaaaaaaaaa.head']);
    expect(leftoverHeads(heads, [], '', '9-cccccccccccc')).toEqual([]);
  });
});

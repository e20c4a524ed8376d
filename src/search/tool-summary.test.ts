import { describe, expect, it } from 'vitest';
import { summaryOf } from './tool-summary.js';

describe('summaryOf', () => {
  it.each([
    { title: 'nothing for nothing', text: undefined, summary: '' },
    { title: 'a short text as it is', text: 'List records', summary: 'List records' },
    { title: 'the first of several sentences', text: 'Create an issue. Needs a token.', summary: 'Create an issue' },
    {
      title: 'the beginning of a long sentence, cut between words',
      text: 'Search the whole organisation for documents, messages and people that match a query',
      summary: 'Search the whole organisation for documents, messages and…',
    },
    {
      title: 'a sentence across a short form',
      text: 'Add a reaction, e.g. a heart. Then stop.',
      summary: 'Add a reaction, e.g. a heart',
    },
    {
      title: 'a line that was only wrapped',
      text: 'Read a file\nfrom the disk.\nMore.',
      summary: 'Read a file from the disk',
    },
    { title: 'a paragraph without an end', text: 'Update a page\n\nErrors: 400', summary: 'Update a page' },
    { title: 'what stands after a heading', text: '🎯 Purpose:\n  1. Lists all owners.', summary: 'Lists all owners' },
    { title: 'markdown without its marks', text: '## **Run** `code`', summary: 'Run code' },
    {
      title: 'a language without spaces',
      text: '获取天气预报信息并返回结果。第二句。',
      summary: '获取天气预报信息并返回结果',
    },
    { title: 'one word without an end', text: 'x'.repeat(5_000), summary: `${'x'.repeat(59)}…` },
  ])('gives $title', ({ text, summary }) => {
    expect(summaryOf(text)).toBe(summary);
  });

  it('never cuts a character in two', () => {
    for (let lead = 0; lead < 4; lead += 1)
      expect(summaryOf(`${'x'.repeat(lead)}${'😀'.repeat(80)}`)).not.toMatch(/[\ud800-\udbff](?![\udc00-\udfff])/);
  });

  it('takes no longer for a megabyte', () => {
    expect(summaryOf(`Send mail ${' \n'.repeat(500_000)}`)).toBe('Send mail');
  });
});

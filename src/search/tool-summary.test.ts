import { describe, expect, it } from 'vitest';
import { summaryOf } from './tool-summary.js';

describe('summaryOf', () => {
  it.each([
    { title: 'an empty text without a description', text: undefined, summary: '' },
    { title: 'a short text unchanged', text: 'List records', summary: 'List records' },
    { title: 'the first of several sentences', text: 'Create an issue. Needs a token.', summary: 'Create an issue' },
    {
      title: 'the beginning of a long sentence, cut between words',
      text: 'Search the whole organisation for documents, messages and people that match a query',
      summary: 'Search the whole organisation for documents, messages and…',
    },
    {
      title: 'a sentence with an abbreviation',
      text: 'Add a reaction, e.g. a heart. Then stop.',
      summary: 'Add a reaction, e.g. a heart',
    },
    {
      title: 'a wrapped line',
      text: 'Read a file\nfrom the disk.\nMore.',
      summary: 'Read a file from the disk',
    },
    { title: 'a paragraph without a full stop', text: 'Update a page\n\nErrors: 400', summary: 'Update a page' },
    { title: 'the text after a heading', text: '🎯 Purpose:\n  1. Lists all owners.', summary: 'Lists all owners' },
    { title: 'Markdown as plain text', text: '## **Run** `code`', summary: 'Run code' },
    {
      title: 'a language without spaces',
      text: '获取天气预报信息并返回结果。第二句。',
      summary: '获取天气预报信息并返回结果',
    },
    { title: 'the beginning of one very long word', text: 'x'.repeat(5_000), summary: `${'x'.repeat(59)}…` },
  ])('returns $title', ({ text, summary }) => {
    expect(summaryOf(text)).toBe(summary);
  });

  it('does not split a surrogate pair', () => {
    for (let lead = 0; lead < 4; lead += 1)
      expect(summaryOf(`${'x'.repeat(lead)}${'😀'.repeat(80)}`)).not.toMatch(/[\ud800-\udbff](?![\udc00-\udfff])/);
  });

  it('reads only the beginning of a megabyte', () => {
    expect(summaryOf(`Send mail ${' \n'.repeat(500_000)}`)).toBe('Send mail');
  });
});

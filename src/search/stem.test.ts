import { describe, expect, it } from 'vitest';
import { stem } from './stem.js';

describe('stem', () => {
  it.each([
    ['calculate', 'calculates', 'calculated', 'calculating', 'calculation', 'calculator'],
    ['search', 'searches', 'searching', 'searched'],
    ['issue', 'issues'],
    ['repository', 'repositories'],
    ['translate', 'translation', 'translator'],
    ['delete', 'deleting', 'deletes', 'deleted'],
    ['summarize', 'summarizing', 'summarizes'],
    ['index', 'indices', 'indexes'],
    ['send', 'sent', 'sending'],
    ['stop', 'stopped', 'stopping'],
  ])('is the same for all forms of %s', (...forms) => {
    expect(new Set(forms.map(stem)).size).toBe(1);
  });

  it.each([
    ['generate', 'general'],
    ['news', 'new'],
    ['organize', 'organ'],
    ['universe', 'university'],
    ['number', 'numb'],
    ['community', 'communicate'],
  ])('differs for %s and %s', (one, other) => {
    expect(stem(one)).not.toBe(stem(other));
  });

  it.each(['s3', 'as', '天气', 'große', '', '__proto__', 'constructor'])('returns a string for %j', (word) => {
    expect(typeof stem(word)).toBe('string');
  });
});

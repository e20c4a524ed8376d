import { describe, expect, it } from 'vitest';
import { scriptsMixedIn } from './mixed-scripts.js';

describe('scriptsMixedIn', () => {
  it.each([
    { name: 'good', scripts: [] },
    { name: 'good-server_2', scripts: [] },
    { name: 'gооd', scripts: ['Latin', 'Cyrillic'] },
    { name: 'gοod', scripts: ['Latin', 'Greek'] },
    { name: 'хороший', scripts: [] },
    { name: 'größe-é', scripts: [] },
    { name: '日本語カタカナひらがな abc', scripts: [] },
    { name: '한국어 server', scripts: [] },
    { name: 'Ꭺpple', scripts: ['Latin', 'Cherokee'] },
    { name: 'a\u{10900}b', scripts: ['Latin', 'other'] },
    { name: 'カо', scripts: ['Cyrillic', 'Katakana'] },
    { name: '', scripts: [] },
  ])('finds $scripts in $name', ({ name, scripts }) => {
    expect(scriptsMixedIn(name)).toEqual(scripts);
  });
});

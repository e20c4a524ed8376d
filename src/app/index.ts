export { type DiscoverOptions, type Discovery, discover, discoverAll } from './discover.js';
export { type Explanation, explain, type Fate, launchText } from './explain.js';
export { pendingQuestions, type Question, questionAbout, rule, writeLock } from './rule.js';

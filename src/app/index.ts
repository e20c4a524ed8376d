export { type DiscoverOptions, discover, discoverAll } from './discover.js';

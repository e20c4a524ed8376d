import type { OffSwitch } from './client.js';

/** `"disabled": true` in the entry. */
export const DISABLED: OffSwitch = { field: ['disabled'], value: true };
/** `"enabled": false` in the entry. */
export const NOT_ENABLED: OffSwitch = { field: ['enabled'], value: false };
/** The name in `mcp.excluded` of the same file, which Gemini CLI and its relatives read. */
export const EXCLUDED: OffSwitch = { list: ['mcp', 'excluded'] };

import { DEFAULTS } from './default-settings.js';
import { leavesOf } from './setting-keys.js';

/** The keys that a variable may set: single values that may differ for each start. */
const SETTABLE = /^(?:enabled|approval|toolDefault|cache\.\w+|timeouts\.\w+|limits\.\w+|sandbox\.\w+)$/;

/** One variable with the settings it defines, not validated yet. */
export interface Variable {
  readonly name: string;
  readonly value: unknown;
}

/** For example, `PORTOLAN_TIMEOUTS_CALL_MS` sets `timeouts.callMs`. An empty variable sets nothing. */
export function fromEnvironment(env: Readonly<Record<string, string | undefined>>): Variable[] {
  return [...leavesOf(DEFAULTS)].flatMap(([key, standard]) => {
    const name = `PORTOLAN_${key.replaceAll(/(?<=[a-z])(?=[A-Z])|\./g, '_').toUpperCase()}`;
    const written = env[name];
    if (!SETTABLE.test(key) || !written) return [];
    const [group = '', inner] = key.split('.');
    const value = typedValue(written, standard);
    return [{ name, value: { [group]: inner === undefined ? value : { [inner]: value } } }];
  });
}

/** Text that is not a number or boolean stays text, so that validation reports the expected type. */
function typedValue(written: string, standard: unknown): unknown {
  if (typeof standard === 'number' && /^\d+$/.test(written)) return Number(written);
  if (typeof standard !== 'boolean') return written;
  return /^(?:1|true)$/i.test(written) ? true : /^(?:0|false)$/i.test(written) ? false : written;
}

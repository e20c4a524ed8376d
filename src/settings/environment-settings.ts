import { DEFAULTS } from './default-settings.js';
import { leavesOf } from './setting-keys.js';

/** The keys that a variable may set: single values that change from start to start. */
const SETTABLE = /^(?:enabled|approval|toolDefault|cache\.\w+|timeouts\.\w+|limits\.\w+|sandbox\.\w+)$/;

/** One variable, and the settings that it stands for, not yet checked. */
export interface Variable {
  readonly name: string;
  readonly value: unknown;
}

/** `PORTOLAN_TIMEOUTS_CALL_MS` is `timeouts.callMs`, and so on. An empty variable sets nothing. */
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

/** What is no number or switch stays text, so that the check can say what was expected. */
function typedValue(written: string, standard: unknown): unknown {
  if (typeof standard === 'number' && /^\d+$/.test(written)) return Number(written);
  if (typeof standard !== 'boolean') return written;
  return /^(?:1|true)$/i.test(written) ? true : /^(?:0|false)$/i.test(written) ? false : written;
}

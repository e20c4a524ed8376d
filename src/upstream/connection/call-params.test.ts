import { describe, expect, it } from 'vitest';
import { paramsToSend } from './call-params.js';

const CALL = { name: 'echo "x"', arguments: { message: 'a\u2028b', n: 1 } };
const NOTHING = { progressToken: undefined, envelope: undefined, meta: undefined, argumentsText: undefined };

describe('paramsToSend', () => {
  it('reuses the JSON text of the arguments, on one line', () => {
    const argumentsText = JSON.stringify(CALL.arguments);
    const { params, text = '' } = paramsToSend(CALL, { ...NOTHING, progressToken: 7, argumentsText });
    expect(params).toEqual({ ...CALL, _meta: { progressToken: 7 } });
    expect(JSON.parse(text)).toEqual(params);
    expect(text).not.toContain('\u2028');
  });

  it.each([
    { title: 'there is an envelope', params: CALL, extra: { envelope: { v: 1 } }, _meta: { v: 1, progressToken: 7 } },
    { title: 'there is further _meta', params: CALL, extra: { meta: { t: 1 } }, _meta: { t: 1, progressToken: 7 } },
    {
      title: 'it has a _meta of its own',
      params: { ...CALL, _meta: { own: 1 } },
      extra: {},
      _meta: { own: 1, progressToken: 7 },
    },
    {
      title: 'there is no text of the arguments',
      params: { ...CALL, task: {} },
      extra: { argumentsText: undefined },
      _meta: { progressToken: 7 },
    },
    { title: 'the request is not a tool call', params: { uri: 'x' }, extra: {}, _meta: { progressToken: 7 } },
  ])('makes no text if $title', ({ params, extra, _meta }) => {
    const sent = paramsToSend(params, { ...NOTHING, progressToken: 7, argumentsText: '{}', ...extra });
    expect(sent).toEqual({ params: { ...params, _meta } });
  });

  it('returns the parameters unchanged if there is nothing to add', () => {
    expect(paramsToSend(CALL, { ...NOTHING, argumentsText: '{}' })).toEqual({ params: CALL });
  });
});

import { describe, expect, it } from 'vitest';
import { paramsToSend } from './call-params.js';

const CALL = { name: 'echo "x"', arguments: { message: 'a\u2028b', n: 1 } };
const NOTHING = { progressToken: undefined, envelope: undefined, meta: undefined, argumentsText: undefined };

describe('the parameters of a request', () => {
  it('are written with the arguments as they were written before, in one line for everybody', () => {
    const argumentsText = JSON.stringify(CALL.arguments);
    const { params, text = '' } = paramsToSend(CALL, { ...NOTHING, progressToken: 7, argumentsText });
    expect(params).toEqual({ ...CALL, _meta: { progressToken: 7 } });
    expect(JSON.parse(text)).toEqual(params);
    expect(text).not.toContain('\u2028');
  });

  it.each([
    { title: 'there is an envelope', params: CALL, beside: { envelope: { v: 1 } }, _meta: { v: 1, progressToken: 7 } },
    { title: 'something travels with it', params: CALL, beside: { meta: { t: 1 } }, _meta: { t: 1, progressToken: 7 } },
    {
      title: 'it has a _meta of its own',
      params: { ...CALL, _meta: { own: 1 } },
      beside: {},
      _meta: { own: 1, progressToken: 7 },
    },
    {
      title: 'nobody has written the arguments',
      params: { ...CALL, task: {} },
      beside: { argumentsText: undefined },
      _meta: { progressToken: 7 },
    },
    { title: 'it is no call', params: { uri: 'x' }, beside: {}, _meta: { progressToken: 7 } },
  ])('are not taken as text where $title', ({ params, beside, _meta }) => {
    const sent = paramsToSend(params, { ...NOTHING, progressToken: 7, argumentsText: '{}', ...beside });
    expect(sent).toEqual({ params: { ...params, _meta } });
  });

  it('are passed on as they are where nothing travels with them', () => {
    expect(paramsToSend(CALL, { ...NOTHING, argumentsText: '{}' })).toEqual({ params: CALL });
  });
});

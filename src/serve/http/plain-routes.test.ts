import { describe, expect, it } from 'vitest';
import { answerPlainly, openPaths, type PlainRoute, type PlainRoutes } from './plain-routes.js';

const routes: PlainRoutes = new Map<string, PlainRoute>([
  ['/open', { isOpen: true, answer: () => new Response('open') }],
  ['/closed', { answer: async ({ method }) => new Response(method) }],
]);
const ask = async (method: string, path: string) => {
  const request = new Request(`http://localhost${path}`, { method });
  const answer = await answerPlainly(routes, request, (methods) => new Response(methods.join(), { status: 405 }));
  return answer && [answer.status, await answer.text()];
};

describe('plain routes', () => {
  it.each([
    { method: 'GET', path: '/open', expected: [200, 'open'] },
    { method: 'HEAD', path: '/closed', expected: [200, 'HEAD'] },
    { method: 'GET', path: '/closed?x=1', expected: [200, 'GET'] },
    { method: 'POST', path: '/closed', expected: [405, 'GET,HEAD'] },
    { method: 'DELETE', path: '/open', expected: [405, 'GET,HEAD'] },
    { method: 'GET', path: '/closed/', expected: undefined },
    { method: 'GET', path: '/', expected: undefined },
  ])('answer $method $path with $expected', async ({ method, path, expected }) => {
    expect(await ask(method, path)).toEqual(expected);
  });

  it('need a token unless they are open', () => {
    expect(openPaths(routes)).toEqual(new Set(['/open']));
  });
});

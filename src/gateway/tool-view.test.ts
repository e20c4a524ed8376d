import { describe, expect, it } from 'vitest';
import { definition } from '../../tests/fakes/definition.js';
import { ErrorCode } from '../base/index.js';
import type { CatalogEntry, PinVerdict } from '../catalog/index.js';
import type { Definition } from '../model/index.js';
import { admit, compileToolRules } from '../policy/index.js';
import { disabledError, marksOf, toolNotFound, viewTools } from './tool-view.js';

function entry(tools: Readonly<Record<string, PinVerdict>>, said: Partial<Definition> = {}): CatalogEntry {
  const server = admit('own', definition({ name: 'own', ...said }), { kind: 'allowed' });
  if (!server) throw new Error('not admitted');
  return {
    server,
    tools: Object.entries(tools).map(([name, pin]) => ({
      tool: { name, inputSchema: { type: 'object' } },
      hash: name,
      faults: [],
      pin,
    })),
  };
}

const noRules = await compileToolRules([]);
const shown = (views: ReturnType<typeof viewTools>) =>
  Object.fromEntries([...views].map(([name, { enabled, because }]) => [name, enabled ? 'on' : because]));

describe('viewTools', () => {
  const PINS = { same: 'same', changed: 'changed', new: 'new' } as const;

  it.each([
    { pins: 'mark', expected: { same: 'on', changed: 'on', new: 'on' } },
    { pins: 'enforce', expected: { same: 'on', changed: 'changed', new: 'new' } },
  ] as const)('disables changed and new tools only if pins are enforced (pins: $pins)', ({ pins, expected }) => {
    expect(shown(viewTools(entry(PINS), noRules, pins))).toEqual(expected);
  });

  it('disables tools by rule or by the server entry, and reports the rule first', async () => {
    const rules = await compileToolRules([{ pattern: ['a'], enabled: false, tags: ['off'] }]);
    const tools = { a: 'same', b: 'same', c: 'same' } as const;
    const views = viewTools(entry(tools, { tools: { deny: ['a', 'b'] } }), rules, 'mark');
    expect(shown(views)).toEqual({ a: 'rule', b: 'entry', c: 'on' });
    expect(views.get('a')?.tags).toEqual(['off']);
    expect(shown(viewTools(entry(tools, { tools: { allow: ['c'] } }), noRules, 'mark'))).toEqual({
      a: 'entry',
      b: 'entry',
      c: 'on',
    });
  });

  it('caches the views until the entry, the judge or the pin setting changes', async () => {
    const one = entry({ a: 'changed' });
    const first = viewTools(one, noRules, 'mark');
    expect(viewTools(one, noRules, 'mark')).toBe(first);
    expect(viewTools(one, noRules, 'enforce')).not.toBe(first);
    const strict = await compileToolRules([{ pattern: ['a'], enabled: false }]);
    expect(shown(viewTools(one, strict, 'mark'))).toEqual({ a: 'rule' });
    expect(shown(viewTools(entry({ a: 'changed' }), noRules, 'mark'))).toEqual({ a: 'on' });
  });

  it('is empty for unread tools, and finds no tool by the name of an object property', () => {
    const { tools: _, ...unread } = entry({});
    expect(viewTools(unread, noRules, 'mark').size).toBe(0);
    expect(viewTools(entry({}), noRules, 'mark').get('constructor')).toBeUndefined();
  });
});

describe('disabledError', () => {
  const of = (tools: Readonly<Record<string, PinVerdict>>, said: Partial<Definition>, name: string) => {
    const view = viewTools(entry(tools, said), noRules, 'enforce').get(name);
    return view && disabledError('own', view);
  };

  it('is undefined for an enabled tool', () => {
    expect(of({ a: 'same' }, {}, 'a')).toBeUndefined();
  });

  it.each([
    {
      title: 'has changed',
      pin: 'changed',
      said: {},
      why: 'its definition changed since it was approved',
      hint: 'ask the user to review it: portolan approve own',
    },
    {
      title: 'is new',
      pin: 'new',
      said: {},
      why: 'it was added after the tools of own were approved',
      hint: 'ask the user to review it: portolan approve own',
    },
    {
      title: 'is disabled by its entry',
      pin: 'same',
      said: { tools: { deny: ['a'] } },
      why: "the server's configuration entry disables it",
      hint: 'the user can see its lists with: portolan why own',
    },
  ] as const)('explains why a tool that $title is disabled and what the user can do', ({ pin, said, why, hint }) => {
    const message = `the tool a of own is disabled: ${why}`;
    expect(of({ a: pin }, said, 'a')).toMatchObject({ code: ErrorCode.ToolDisabled, message, hint });
  });

  it('names the settings if a rule there disables the tool', async () => {
    const rules = await compileToolRules([{ pattern: ['a'], enabled: false }]);
    const view = viewTools(entry({ a: 'same' }), rules, 'mark').get('a');
    expect(view && disabledError('own', view)).toMatchObject({
      message: 'the tool a of own is disabled: a rule in the settings disables it',
      hint: 'the user can see the rule with: portolan config show',
    });
  });
});

describe('toolNotFound', () => {
  it('suggests the nearest enabled tool', () => {
    const views = viewTools(entry({ read_file: 'same', read_files: 'changed' }), noRules, 'enforce');
    expect(toolNotFound('own', 'raed_file', views)).toMatchObject({
      code: ErrorCode.ToolNotFound,
      message: 'own has no tool named "raed_file"',
      hint: 'did you mean read_file?',
    });
    expect(toolNotFound('own', 'zzzzz', views).hint).toBe('list_tools shows the tools of own');
  });
});

describe('marksOf', () => {
  it('returns only the warnings that apply', () => {
    const listed = { tool: { name: 'a', inputSchema: {} }, hash: 'h' };
    expect(marksOf({ ...listed, faults: [], pin: 'same' })).toEqual({});
    expect(marksOf({ ...listed, faults: ['bidi'], pin: 'new' })).toEqual({ change: 'new', hidden: ['bidi'] });
  });
});

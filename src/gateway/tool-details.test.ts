import { describe, expect, it } from 'vitest';
import { toolDetails, toolSummary } from './tool-details.js';
import type { ToolView } from './tool-view.js';

const view = (more: Partial<ToolView> & { pin?: 'same' | 'changed' | 'new' } = {}): ToolView => {
  const { pin = 'same', ...rest } = more;
  const tool = { name: 'a', description: 'Does something.', inputSchema: { type: 'object' } };
  return { listed: { tool, hash: 'h', faults: [], pin }, enabled: true, tags: [], ...rest };
};

describe('toolSummary', () => {
  it.each([
    { title: 'may be called by its own words', given: view(), summary: 'Does something' },
    {
      title: 'a rule switched off by its own words',
      given: view({ enabled: false, because: 'rule' }),
      summary: 'Does something',
    },
    {
      title: 'changed by none of its words',
      given: view({ enabled: false, because: 'changed', pin: 'changed' }),
      summary: 'held until a person has looked at it: its definition changed',
    },
    {
      title: 'is new by none of its words',
      given: view({ enabled: false, because: 'new', pin: 'new' }),
      summary: 'held until a person has looked at it: it is new',
    },
  ])('tells of a tool that $title', ({ given, summary }) => {
    expect(toolSummary(given)).toMatchObject({ name: 'a', summary, enabled: given.enabled });
  });
});

describe('toolDetails', () => {
  it('says that a tool is off only where it is', () => {
    const details = { server: 'own', tool: 'a', description: 'Does something.', inputSchema: { type: 'object' } };
    expect(toolDetails('own', view())).toEqual({ ...details, example: {} });
    expect(toolDetails('own', view({ enabled: false, because: 'rule' }))).toEqual({
      ...details,
      enabled: false,
      example: {},
    });
  });
});

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
    { title: 'is enabled', given: view(), summary: 'Does something' },
    {
      title: 'a rule disables',
      given: view({ enabled: false, because: 'rule' }),
      summary: 'Does something',
    },
    {
      title: 'has changed, without its description',
      given: view({ enabled: false, because: 'changed', pin: 'changed' }),
      summary: 'disabled until the user approves it: its definition changed',
    },
    {
      title: 'is new, without its description',
      given: view({ enabled: false, because: 'new', pin: 'new' }),
      summary: 'disabled until the user approves it: the tool is new',
    },
  ])('summarizes a tool that $title', ({ given, summary }) => {
    expect(toolSummary(given)).toMatchObject({ name: 'a', summary, enabled: given.enabled });
  });
});

describe('toolDetails', () => {
  it('contains enabled only for a disabled tool', () => {
    const details = { server: 'own', tool: 'a', description: 'Does something.', inputSchema: { type: 'object' } };
    expect(toolDetails('own', view())).toEqual({ ...details, example: {} });
    expect(toolDetails('own', view({ enabled: false, because: 'rule' }))).toEqual({
      ...details,
      enabled: false,
      example: {},
    });
  });
});

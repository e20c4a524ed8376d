import { describe, expect, it } from 'vitest';
import { makeMachine } from '../../tests/support/machine.js';
import { silentLog } from '../base/index.js';
import { hostOf } from '../discovery/discover.js';
import { CallMetrics } from '../gateway/index.js';
import { projectRegistryPath, ServerRegistry } from '../registry/index.js';
import { announceSelf } from './announce-self.js';

describe('announceSelf', () => {
  it('announces the tools and the number of calls until it is disposed of', async () => {
    using machine = makeMachine();
    const host = hostOf(machine.options());
    const registry = new ServerRegistry(projectRegistryPath(host.cwd));
    const calls = new CallMetrics();
    for (const outcome of ['ok', 'TOOL_EXECUTION_ERROR']) calls.record({ outcome, durationMs: 1 });
    {
      const reachable = { url: 'http://127.0.0.1:9/mcp', servesAllProjects: false, tools: ['search_tools'], calls };
      await using _announced = await announceSelf(host, reachable, silentLog);
      expect(await registry.listServers()).toMatchObject([{ name: 'portolan', tools: ['search_tools'], requests: 2 }]);
    }
    expect(await registry.listServers()).toEqual([]);
  });
});

// An agent loop over the gateway: connect as an MCP client, let a model choose a tool, call it, repeat until it answers.
// Run it in the root of a built clone: node examples/agent-loop/agent-loop.mjs
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

const TASK = 'Will it rain in Genoa tomorrow?';
const MAX_STEPS = 10;

/**
 * STAND-IN FOR A MODEL. It follows a script, so that the example runs without a key. An agent sends `messages` and `tools`
 * to its model here, and returns the tool call or the answer of the model.
 */
async function chooseNextStep(messages, _tools) {
  const results = messages.filter(({ role }) => role === 'tool').map(({ result }) => result);
  const [found, details, executed] = results;
  if (!found) return { call: { name: 'search_tools', arguments: { query: 'weather forecast for a city' } } };
  const { server, tool } = found.results[0];
  if (!details) return { call: { name: 'get_tool_details', arguments: { server, tool } } };
  const [argument] = details.inputSchema.required;
  if (!executed)
    return { call: { name: 'execute_tool', arguments: { server, tool, arguments: { [argument]: 'Genoa' } } } };
  return { answer: `Yes, ${executed.rainMm} mm are expected.` };
}

// The client starts the gateway as any AI client does. `--config` limits it to the example servers.
const transport = new StdioClientTransport({
  command: process.execPath,
  args: ['dist/cli.cjs', 'serve', '--daemon', 'never', '--config', 'examples/servers.json'],
  env: process.env,
});
const client = new Client({ name: 'example-agent', version: '1.0.0' });
await client.connect(transport);

try {
  // The model sees six tools, however many servers and tools there are.
  const { tools } = await client.listTools();
  console.log(`tools: ${tools.map(({ name }) => name).join(', ')}`);
  const messages = [{ role: 'user', text: TASK }];
  console.log(`task: ${TASK}`);
  for (let step = 1; ; step += 1) {
    // A model can repeat itself without end.
    if (step > MAX_STEPS) throw new Error(`no answer after ${MAX_STEPS} steps`);
    const { call, answer } = await chooseNextStep(messages, tools);
    if (answer !== undefined) {
      console.log(`answer: ${answer}`);
      break;
    }
    console.log(`call: ${call.name} ${JSON.stringify(call.arguments)}`);
    messages.push({ role: 'assistant', call }, { role: 'tool', result: await callTool(call) });
  }
} finally {
  // Ends the gateway and the servers that it has started.
  await client.close();
}

async function callTool(call) {
  const { structuredContent, content, isError } = await client.callTool(call);
  const text = content.map((block) => block.text ?? `[${block.type}]`).join('\n');
  // A model gets the error as a result, because it can correct its arguments; the script cannot.
  if (isError) throw new Error(`${call.name} failed: ${text}`);
  return structuredContent ?? JSON.parse(text);
}

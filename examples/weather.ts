// A server that answers from data it carries with it: the smallest useful template.
// Copy this file, `npm install @modelcontextprotocol/server zod`, and put your own data or API where FORECASTS is.
import { McpServer } from '@modelcontextprotocol/server';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';

const Forecast = z.object({
  city: z.string(),
  sky: z.enum(['sunny', 'cloudy', 'rain', 'storm']),
  highC: z.number(),
  rainMm: z.number(),
});
type Forecast = z.infer<typeof Forecast>;

const FORECASTS: readonly Forecast[] = [
  { city: 'Genoa', sky: 'storm', highC: 17, rainMm: 42 },
  { city: 'Lisbon', sky: 'sunny', highC: 22, rainMm: 0 },
  { city: 'Oslo', sky: 'cloudy', highC: 6, rainMm: 1 },
  { city: 'Palma', sky: 'sunny', highC: 24, rainMm: 0 },
  { city: 'Rotterdam', sky: 'rain', highC: 11, rainMm: 18 },
];

const server = new McpServer(
  { name: 'weather', version: '1.0.0' },
  { instructions: "Tomorrow's weather in a few cities." },
);

server.registerTool(
  'get_forecast',
  {
    // A model picks a tool by this sentence, so it says what the tool is good for and not how it works.
    description: "Tomorrow's weather in a city: sky, highest temperature in °C and rain in mm.",
    inputSchema: z.object({ city: z.string().describe('Name of the city, in English') }),
    // With an output schema the answer is data that a program can go on with, not only text to read.
    outputSchema: Forecast,
    annotations: { readOnlyHint: true },
  },
  async ({ city }) => {
    const found = FORECASTS.find((one) => one.city.toLowerCase() === city.trim().toLowerCase());
    if (found) return { content: [{ type: 'text', text: sentence(found) }], structuredContent: found };
    // What the model can mend is a result and no exception: it reads the text and tries again.
    const known = FORECASTS.map((one) => one.city).join(', ');
    return { content: [{ type: 'text', text: `No forecast for ${city}. Known: ${known}.` }], isError: true };
  },
);

server.registerTool(
  'list_cities',
  {
    description: 'The cities for which there is a forecast.',
    outputSchema: z.object({ cities: z.array(z.string()) }),
    annotations: { readOnlyHint: true },
  },
  async () => {
    const cities = FORECASTS.map((one) => one.city);
    return { content: [{ type: 'text', text: cities.join('\n') }], structuredContent: { cities } };
  },
);

function sentence({ city, sky, highC, rainMm }: Forecast): string {
  return `${city}: ${sky}, up to ${highC} °C, ${rainMm} mm of rain`;
}

await server.connect(new StdioServerTransport());

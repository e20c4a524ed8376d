import { expect } from 'vitest';
import type { Era, Json } from './conformance-drivers.js';

/** One request with all expected messages. */
export interface Scenario {
  readonly title: string;
  readonly method: string;
  readonly params?: Json;
  readonly expected: unknown;
  /** The expected requests of the server, in order. */
  readonly asked?: readonly Json[];
  readonly progress?: readonly Json[];
  /** The protocol era of the method, if only one supports it. */
  readonly era?: Era;
}

const text = (words: string) => ({ type: 'text', text: words });
const PNG = expect.stringMatching(/^iVBORw0KGgo/);
const image = { type: 'image', data: PNG, mimeType: 'image/png' };
const embedded = (uri: string, mimeType: string, words: string) => ({
  type: 'resource',
  resource: { uri, mimeType, text: words },
});
const fromUser = (...contents: readonly unknown[]) => ({
  messages: contents.map((content) => ({ role: 'user', content })),
});

const calling = (title: string, name: string, expected: Json, more: Partial<Scenario> & { given?: Json } = {}) => {
  const { given = {}, ...rest } = more;
  return { title, method: 'tools/call', params: { name, arguments: given }, expected, ...rest };
};
const saying = (title: string, name: string, words: string, more: Partial<Scenario> & { given?: Json } = {}) =>
  calling(title, name, { content: [text(words)] }, more);

const form = (message: string, properties: Json) => ({
  method: 'elicitation/create',
  params: {
    mode: 'form',
    message,
    requestedSchema: { type: 'object', properties, required: Object.keys(properties) },
  },
});
const sample = (words: string, maxTokens = 100) => ({
  method: 'sampling/createMessage',
  params: { messages: [{ role: 'user', content: text(words) }], maxTokens },
});
const NAME = form('What is your name?', { name: { type: 'string' } });
const CONFIRM = form('Please confirm', { ok: { type: 'boolean' } });
const OPTIONS = ['option1', 'option2', 'option3'];
const titled = (noun: string) => [1, 2, 3].map((n) => ({ const: `value${n}`, title: `${noun} ${n}` }));

/** The scenarios with the names of the official suite. */
export const SCENARIOS: readonly Scenario[] = [
  { title: 'ping', method: 'ping', expected: {}, era: 'legacy' },
  { title: 'logging-set-level', method: 'logging/setLevel', params: { level: 'info' }, expected: {}, era: 'legacy' },
  {
    title: 'completion-complete',
    method: 'completion/complete',
    params: {
      ref: { type: 'ref/prompt', name: 'test_prompt_with_arguments' },
      argument: { name: 'arg1', value: 'par' },
    },
    expected: { completion: { values: ['paris', 'park', 'party'], total: 3, hasMore: false } },
  },
  saying('tools-call-simple-text', 'test_simple_text', 'This is a simple text response for testing.'),
  calling('tools-call-image', 'test_image_content', { content: [image] }),
  calling('tools-call-audio', 'test_audio_content', {
    content: [{ type: 'audio', data: expect.stringMatching(/^UklGR/), mimeType: 'audio/wav' }],
  }),
  calling('tools-call-embedded-resource', 'test_embedded_resource', {
    content: [embedded('test://embedded-resource', 'text/plain', 'This is an embedded resource content.')],
  }),
  calling('tools-call-mixed-content', 'test_multiple_content_types', {
    content: [
      text('Multiple content types test:'),
      image,
      embedded('test://mixed-content-resource', 'application/json', '{"test":"data","value":123}'),
    ],
  }),
  calling('tools-call-error', 'test_error_handling', {
    isError: true,
    content: [text('This tool intentionally returns an error for testing')],
  }),
  calling('tools-call with structured content', 'test_structured_content', {
    content: [text('{"answer":42}')],
    structuredContent: { answer: 42 },
  }),
  saying('tools-call-with-progress', 'test_tool_with_progress', 'Reported progress.', {
    progress: [0, 50, 100].map((progress) => ({ progress, total: 100 })),
  }),
  saying('tools-call-sampling', 'test_sampling', 'LLM response: Paris', {
    given: { prompt: 'Where?' },
    asked: [sample('Where?')],
  }),
  saying(
    'tools-call-elicitation',
    'test_elicitation',
    'User response: action=accept, content={"username":"username","email":"email"}',
    {
      given: { message: 'Who?' },
      asked: [
        form('Who?', {
          username: { type: 'string', description: "User's response" },
          email: { type: 'string', description: "User's email address" },
        }),
      ],
    },
  ),
  saying(
    'elicitation-sep1034-defaults',
    'test_elicitation_sep1034_defaults',
    'Elicitation completed: action=accept, content={"name":"John Doe","age":30,"score":95.5,"status":"active","verified":true}',
    {
      asked: [
        form('Check these values', {
          name: { type: 'string', default: 'John Doe' },
          age: { type: 'integer', default: 30 },
          score: { type: 'number', default: 95.5 },
          status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
          verified: { type: 'boolean', default: true },
        }),
      ],
    },
  ),
  saying(
    'elicitation-sep1330-enums',
    'test_elicitation_sep1330_enums',
    'Elicitation completed: action=accept, content={"untitledSingle":"option1","titledSingle":"value1","legacyEnum":"opt1","untitledMulti":["option1"],"titledMulti":["value1"]}',
    {
      asked: [
        form('Choose', {
          untitledSingle: { type: 'string', enum: OPTIONS },
          titledSingle: { type: 'string', oneOf: titled('Option') },
          legacyEnum: {
            type: 'string',
            enum: ['opt1', 'opt2', 'opt3'],
            enumNames: ['Option One', 'Option Two', 'Option Three'],
          },
          untitledMulti: { type: 'array', items: { type: 'string', enum: OPTIONS } },
          titledMulti: { type: 'array', items: { anyOf: titled('Choice') } },
        }),
      ],
    },
  ),
  saying('input-required-result-basic-elicitation', 'test_input_required_result_elicitation', 'Hello, name!', {
    asked: [NAME],
  }),
  saying('input-required-result-basic-sampling', 'test_input_required_result_sampling', 'It was said: Paris', {
    asked: [sample('What is the capital of France?')],
  }),
  saying(
    'input-required-result-basic-list-roots',
    'test_input_required_result_list_roots',
    'Roots: file:///test/root',
    {
      asked: [{ method: 'roots/list', params: {} }],
    },
  ),
  saying('input-required-result-request-state', 'test_input_required_result_request_state', 'state-ok', {
    asked: [CONFIRM],
  }),
  saying('input-required-result-multiple-input-requests', 'test_input_required_result_multiple_inputs', 'Paris name', {
    asked: [NAME, sample('Generate a greeting', 50), { method: 'roots/list', params: {} }],
  }),
  saying('input-required-result-multi-round', 'test_input_required_result_multi_round', 'name likes color', {
    asked: [
      form('Step 1: What is your name?', { name: { type: 'string' } }),
      form('Step 2: What is your favorite color?', { color: { type: 'string' } }),
    ],
  }),
  {
    title: 'input-required-result-non-tool-request',
    method: 'prompts/get',
    params: { name: 'test_input_required_result_prompt' },
    asked: [form('What context should the prompt use?', { context: { type: 'string' } })],
    expected: fromUser(text('Use this context: context')),
  },
  ...[
    ['text', 'test://static-text', 'text/plain', { text: 'This is the content of the static text resource.' }] as const,
    ['binary', 'test://static-binary', 'image/png', { blob: PNG }] as const,
    [
      'template',
      'test://template/123/data',
      'application/json',
      { text: '{"id":"123","templateTest":true,"data":"Data for ID: 123"}' },
    ] as const,
  ].map(([kind, uri, mimeType, rest]) => ({
    title: `resources-read ${kind}`,
    method: 'resources/read',
    params: { uri },
    expected: { contents: [{ uri, mimeType, ...rest }] },
  })),
  ...(
    [
      ['simple', {}, fromUser(text('This is a simple prompt for testing.'))],
      [
        'with_arguments',
        { arg1: 'hello', arg2: 'world' },
        fromUser(text("Prompt with arguments: arg1='hello', arg2='world'")),
      ],
      [
        'with_embedded_resource',
        { resourceUri: 'test://example' },
        fromUser(
          embedded('test://example', 'text/plain', 'Embedded resource content for testing.'),
          text('Please process the embedded resource above.'),
        ),
      ],
      ['with_image', {}, fromUser(image, text('Please analyze the image above.'))],
    ] as const
  ).map(([kind, given, expected]) => ({
    title: `prompts-get ${kind}`,
    method: 'prompts/get',
    params: { name: kind === 'simple' ? 'test_simple_prompt' : `test_prompt_${kind}`, arguments: { ...given } },
    expected,
  })),
];

/** Requests with as many parts as the limit of elements allows. */

type Members = Readonly<Record<string, unknown>>;

/** A request without its model. */
export interface Structure {
  readonly name: string;
  readonly path: string;
  readonly make: () => Members;
}

const HELLO = { role: "user", content: "Hi" };
/** What the default of `server.max_elements` allows. */
const MAX_ELEMENTS = 99_000;

export const STRUCTURES: readonly Structure[] = [
  chat("messages", () => ({ messages: list(3, () => HELLO) })),
  chat("messages of changing roles", () => ({
    messages: list(3, (at) => ({ role: at % 2 ? "assistant" : "user", content: "Hi" })),
  })),
  chat("system messages", () => ({
    messages: [...list(3, () => ({ role: "system", content: "Hi" })), HELLO],
  })),
  chat("parts", () => ({
    messages: [{ role: "user", content: list(3, (at) => ({ type: "text", text: `${at}` })) }],
  })),
  chat("tools", () => ({ messages: [HELLO], tools: list(11, (at) => toolOf(`f${at}`)) })),
  chat("tools of the same name", () => ({ messages: [HELLO], tools: list(11, () => toolOf("f")) })),
  chat("calls", () => ({ messages: callsOf((at) => `call_${at}`) })),
  chat("calls of one ID", () => ({ messages: callsOf(() => "call") })),
  chat("turns with one call", () => ({ messages: list(12, (at) => at).flatMap(turnOf) })),
  ...["allOf", "anyOf", "oneOf"].flatMap((name) => [
    chat(
      `${name} of constants`,
      () => schemaOf({ [name]: list(4, (at) => ({ const: `c${at}` })) }),
    ),
    chat(`${name} of objects`, () =>
      schemaOf({
        type: "object",
        [name]: list(14, (at) => ({
          type: "object",
          properties: { [`p${at}`]: {} },
          required: [`p${at}`],
        })),
      })),
    chat(`${name} in each other`, () => {
      let schema: Members = { type: "string" };
      for (let depth = 0; depth < 120; depth++) schema = { [name]: [schema, { const: depth }] };
      return schemaOf({ type: "object", properties: { a: schema } });
    }),
  ]),
  chat("$refs to one long definition", () =>
    schemaOf({
      type: "object",
      properties: Object.fromEntries(list(16, (at) => [`p${at}`, { $ref: "#/$defs/d" }])),
      $defs: { d: { type: "object", properties: { a: { description: "x".repeat(1000) } } } },
    })),
  chat("a $ref of 28 MB", () =>
    schemaOf({
      type: "object",
      properties: { a: { $ref: `#/${"a/".repeat(7_000_000)}` } },
    })),
  chat("an enum", () => schemaOf({ type: "object", properties: { a: { enum: list(2, String) } } })),
  {
    name: "messages, turns",
    path: "/v1/messages",
    make: () => ({ max_tokens: 64, messages: list(3, () => HELLO) }),
  },
  {
    name: "messages, tools",
    path: "/v1/messages",
    make: () => ({
      max_tokens: 64,
      messages: [HELLO],
      tools: list(
        8,
        (at) => ({ name: `f${at}`, input_schema: { type: "object", properties: {} } }),
      ),
    }),
  },
  {
    name: "responses, items",
    path: "/v1/responses",
    make: () => ({ store: false, input: list(4, () => ({ type: "message", ...HELLO })) }),
  },
  {
    name: "responses, references",
    path: "/v1/responses",
    make: () => ({
      store: false,
      input: list(3, () => ({ type: "item_reference", id: "msg_1" })),
    }),
  },
  {
    name: "responses, calls",
    path: "/v1/responses",
    make: () => ({
      store: false,
      input: list(10, (at) => at).flatMap((at) => [
        { type: "function_call", call_id: `c${at}`, name: "f", arguments: "{}" },
        { type: "function_call_output", call_id: `c${at}`, output: "x" },
      ]),
    }),
  },
];

function chat(name: string, make: () => Members): Structure {
  return { name: `chat, ${name}`, path: "/v1/chat/completions", make };
}

/** As many entries as are allowed. */
function list<Entry>(elements: number, make: (at: number) => Entry): Entry[] {
  return Array.from({ length: MAX_ELEMENTS / elements }, (_, at) => make(at));
}

function toolOf(name: string): Members {
  return { type: "function", function: { name, parameters: { type: "object", properties: {} } } };
}

function schemaOf(schema: Members): Members {
  const tools = [{ type: "function", function: { name: "f", parameters: schema } }];
  return { messages: [HELLO], tools };
}

function callsOf(idOf: (at: number) => string): Members[] {
  const calls = list(12, (at) => ({
    id: idOf(at),
    type: "function",
    function: { name: "f", arguments: "{}" },
  }));
  const results = calls.map(({ id }) => ({ role: "tool", tool_call_id: id, content: "x" }));
  return [HELLO, { role: "assistant", content: null, tool_calls: calls }, ...results];
}

function turnOf(at: number): Members[] {
  const call = { id: `c${at}`, type: "function", function: { name: "f", arguments: "{}" } };
  return [
    { role: "assistant", content: null, tool_calls: [call] },
    { role: "tool", tool_call_id: `c${at}`, content: "x" },
  ];
}

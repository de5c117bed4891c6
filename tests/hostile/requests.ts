/** Requests whose conversion may be expensive for their size, for every kind. */

import { copes, MAX_ANSWER_MS, maxGapOf, measure, watch, type Watched } from "./held.ts";
import { createVendorOfKinds, type Kind, readKinds, toProviders } from "./kinds.ts";
import type { Scenario, Trial } from "./trial.ts";

type Members = Readonly<Record<string, unknown>>;

/** A request of up to a megabyte, without its model. */
interface Large {
  readonly name: string;
  readonly members: Members;
}

const HELLO = [{ role: "user", content: "Hi" }];
/** Entries: what may hold this many without being over the budget of a request. */
const COUNT = 9000;
const SCHEMA_COUNT = 4500;
const DEPTH = 100_000;
const LONG_NAME = "a".repeat(100_000);
const LONG_REF = { $ref: `#/${LONG_NAME}/x` };
/** The short form uses the kinds that convert most. */
const SHORT_KINDS = new Set(["gemini", "ollama", "anthropic", "bedrock"]);
/** A generator that fails for this many kinds is not tried with more: each needs a new gateway. */
const MAX_BROKEN = 2;

/** Every kind converts large requests. */
export const requests: Scenario = {
  name: "request",
  seconds: 60,
  alone: true,
  async run(trial) {
    const kinds = readKinds().filter(({ kind }) => !trial.short || SHORT_KINDS.has(kind));
    const vendor = trial.own(createVendorOfKinds(kinds));
    const start = () => watch(trial, { config: { providers: toProviders(kinds, vendor) } });
    let watched = await start();
    for (const large of toLargeRequests()) {
      watched = await attack(trial, { large, kinds, watched, start });
    }
  },
};

interface Attack {
  readonly large: Large;
  readonly kinds: readonly Kind[];
  readonly watched: Watched;
  readonly start: () => Promise<Watched>;
}

/** Sends a request to every kind; returns the gateway that runs afterwards. */
async function attack(trial: Trial, { large, kinds, watched, start }: Attack): Promise<Watched> {
  const maxGap = maxGapOf(trial);
  const slow: string[] = [];
  let worst = { gap: 0, kind: "" };
  const statuses = new Set<number>();
  let broken = 0;
  let current = watched;
  for (const { kind, model } of kinds) {
    if (broken === MAX_BROKEN) break;
    const held = await measure(current, { model, ...large.members }, maxGap);
    if (held.gap >= worst.gap) worst = { gap: held.gap, kind };
    statuses.add(held.status);
    const isAnswered = held.status === 200 || held.status === 400;
    if (held.gap > maxGap || !isAnswered || held.ms > MAX_ANSWER_MS) slow.push(kind);
    if (copes(held)) continue;
    broken++;
    current.pinger[Symbol.dispose]();
    await current.gateway[Symbol.asyncDispose]();
    current = await start();
  }
  const bar = `200 or 400 in ${MAX_ANSWER_MS} ms, gap ${maxGap} ms`;
  const measured = `${[...statuses].join(", ")}; ${worst.gap.toFixed(0)} ms (${worst.kind})` +
    (slow.length === 0 ? "" : `; over: ${slow.join(", ")}`);
  trial.report(`${large.name}, ${kinds.length} kinds`, bar, measured, slow.length === 0);
  return current;
}

function toLargeRequests(): Large[] {
  const numbers = [...Array(COUNT).keys()];
  const schemaOf = (name: string, schema: unknown): Large => ({
    name,
    members: {
      messages: HELLO,
      tools: [{ type: "function", function: { name: "f", parameters: schema } }],
      response_format: { type: "json_schema", json_schema: { name: "s", schema } },
    },
  });
  const schemaNumbers = numbers.slice(0, SCHEMA_COUNT);
  const entries = (make: (index: number) => [string, unknown]) =>
    Object.fromEntries(schemaNumbers.map(make));
  const object = (properties: unknown, others: Members = {}) => ({
    type: "object",
    properties,
    ...others,
  });
  return [
    schemaOf(
      "$refs that end alike",
      object(entries((at) => [`p${at}`, { $ref: `#/$defs/g${at}/x` }]), {
        $defs: entries((at) => [`g${at}`, { x: object({ a: { $ref: `#/$defs/g${at}/x` } }) }]),
      }),
    ),
    schemaOf("allOf", {
      type: "object",
      allOf: schemaNumbers.map((at) => ({ properties: { [`p${at}`]: {} }, required: [`p${at}`] })),
    }),
    schemaOf(
      "$refs to themselves",
      object(entries((at) => [`p${at}`, { $ref: `#/$defs/d${at}` }]), {
        $defs: entries((at) => [`d${at}`, object({ a: { $ref: `#/$defs/d${at}` } })]),
      }),
    ),
    schemaOf(
      "one long $ref",
      object({ a: LONG_REF }, { [LONG_NAME]: { x: object({ a: LONG_REF }) } }),
    ),
    schemaOf(
      "a chain of $refs",
      object(entries((at) => [`p${at}`, { $ref: `#/$defs/d${at}` }]), {
        $defs: entries((at) => [`d${at}`, object({ a: { $ref: `#/$defs/d${at + 1}` } })]),
      }),
    ),
    schemaOf("wide anyOf", object({ a: { anyOf: numbers.map((at) => ({ const: `c${at}` })) } })),
    { name: "one call ID again and again", members: { messages: toCalls(() => "call_1") } },
    { name: "many calls", members: { messages: toCalls((at) => `call_${at}`) } },
    { name: "many parts", members: { messages: [{ role: "user", content: toParts() }] } },
    { name: "many system messages", members: { messages: [...toSystem(), ...HELLO] } },
    { name: "many tools", members: { messages: HELLO, tools: toTools() } },
    { name: "think tags", members: { messages: toThoughts() } },
    { name: "arguments of lists in lists", members: { messages: toCall("[".repeat(DEPTH)) } },
    {
      name: "arguments of closed lists in lists",
      members: { messages: toCall(`{"a":${"[".repeat(DEPTH)}${"]".repeat(DEPTH)}}`) },
    },
    {
      name: "a tool's result of lists in lists",
      members: { messages: toCall("{}", `${"[".repeat(DEPTH)}${"]".repeat(DEPTH)}`) },
    },
    {
      name: "a data URL of parameters",
      members: { messages: toImage(`data:${";a=b".repeat(DEPTH)},`) },
    },
    {
      name: "a data URL that is not base64",
      members: { messages: toImage(`data:image/png;base64,${"=-".repeat(DEPTH)}`) },
    },
    { name: "a long tool name", members: { messages: HELLO, tools: [toTool(LONG_NAME)] } },
    { name: "a long name of a caller", members: { messages: [{ ...HELLO[0], name: LONG_NAME }] } },
    { name: "many stops", members: { messages: HELLO, stop: numbers.map((at) => `stop ${at}`) } },
    {
      name: "many unknown members",
      members: {
        messages: HELLO,
        ...Object.fromEntries(numbers.map((at) => [`unknown_${at}`, at])),
      },
    },
    { name: "texts for slow expressions", members: toPattern() },
  ];
}

function toCalls(idOf: (index: number) => string): unknown[] {
  const count = COUNT / 4;
  const calls = [...Array(count).keys()].map((at) => ({
    id: idOf(at),
    type: "function",
    function: { name: "f", arguments: "{}" },
  }));
  const results = calls.map(({ id }) => ({ role: "tool", tool_call_id: id, content: "x" }));
  return [...HELLO, { role: "assistant", content: null, tool_calls: calls }, ...results];
}

function toParts(): unknown[] {
  return Array.from({ length: COUNT }, (_, at) => ({ type: "text", text: `part ${at}` }));
}

function toSystem(): unknown[] {
  return Array.from({ length: COUNT }, (_, at) => ({ role: "system", content: `rule ${at}` }));
}

function toTools(): unknown[] {
  return Array.from({ length: COUNT / 4 }, (_, at) => toTool(`f${at}`));
}

function toTool(name: string): unknown {
  return { type: "function", function: { name, parameters: { type: "object", properties: {} } } };
}

/** One tool call and its result. */
function toCall(text: string, content = "x"): unknown[] {
  const call = { id: "call_1", type: "function", function: { name: "f", arguments: text } };
  return [
    ...HELLO,
    { role: "assistant", content: null, tool_calls: [call] },
    { role: "tool", tool_call_id: "call_1", content },
  ];
}

function toImage(url: string): unknown[] {
  return [{ role: "user", content: [{ type: "image_url", image_url: { url } }] }];
}

/** Texts for which nonlinear regular expressions are slow. */
function toPattern(): Members {
  const text = `${" ".repeat(DEPTH)}x`;
  const content = `${"a".repeat(DEPTH)}\n${text}\n${"```json\n".repeat(20_000)}`;
  return { messages: [{ role: "system", content }, { role: "user", content }] };
}

function toThoughts(): unknown[] {
  const content = "<think>".repeat(50_000);
  return [...HELLO, { role: "assistant", content }, ...HELLO];
}

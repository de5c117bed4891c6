/** Random JSON values, and random changes of a given value. */

import type { Random } from "./random.ts";

/** Names and values that the gateway uses, so that random values reach more code. */
const WORDS = [
  ...[
    "model",
    "messages",
    "role",
    "content",
    "user",
    "assistant",
    "tool",
    "system",
    "type",
    "text",
  ],
  ...["image_url", "url", "tools", "function", "name", "parameters", "tool_calls", "id", "stop"],
  ...["arguments", "tool_choice", "response_format", "json_schema", "schema", "stream", "file"],
  ...["$ref", "#/$defs/a", "$defs", "properties", "anyOf", "items", "required", "object", "enum"],
  ...["thinking", "cache_control", "reasoning_details", "signature", "data:image/png;base64,AA=="],
  ...["choices", "delta", "usage", "finish_reason", "index", "error", "message", "stop_reason"],
  ...["__proto__", "constructor", "toString", "", " ", "\u0000", "\ud800", "é", "💥", "[DONE]"],
];

const SCALARS = [null, true, false, 0, -0, 1, -1, 0.5, 2, 128, 1e21, -1e308, 2 ** 53, 5e-324];

/** A random JSON value with a maximum depth. */
export function randomJson(random: Random, depth: number): unknown {
  const kind = random.below(depth > 0 ? 5 : 3);
  if (kind === 0) return random.pick(SCALARS);
  if (kind === 1) return random.pick(WORDS);
  if (kind === 2) return random.pick(WORDS) + random.pick(WORDS);
  const length = random.below(5);
  if (kind === 3) return Array.from({ length }, () => randomJson(random, depth - 1));
  return Object.fromEntries(
    Array.from({ length }, () => [random.pick(WORDS), randomJson(random, depth - 1)]),
  );
}

/** A copy in which one value is replaced, wrapped, duplicated or removed. */
export function mutated(random: Random, value: unknown): unknown {
  const members = typeof value === "object" && value !== null ? Object.entries(value) : [];
  if (members.length === 0 || random.chance(0.15)) return changed(random, value);
  const at = random.below(members.length);
  const [name, member] = members[at] ?? ["", undefined];
  const fate = random.below(10);
  if (fate === 0) members.splice(at, 1);
  else if (fate === 1) members.push([random.pick(WORDS), structuredClone(member)]);
  else members[at] = [name, mutated(random, member)];
  return Array.isArray(value) ? members.map(([, item]) => item) : Object.fromEntries(members);
}

function changed(random: Random, value: unknown): unknown {
  switch (random.below(5)) {
    case 0:
      return [value];
    case 1:
      return { [random.pick(WORDS)]: value };
    case 2:
      return typeof value === "number"
        ? value * random.pick([-1, 1000, 0.3])
        : JSON.stringify(value);
    default:
      return randomJson(random, 2);
  }
}

/** Builds the body and the headers of a request from the state of the page. */

import { readParameters, readTools } from "./parameters.js";

/**
 * @typedef {{ text: string, images: { url: string }[] }} UserMessage
 * @typedef {{ toMessage(): object | undefined, toolAnswers: Map<string, string> }} Step one answer
 *   of a model, with the answers to its tool calls
 */

/**
 * The messages of a conversation with one model.
 *
 * @param {string} system omitted if empty
 * @param {{ user: UserMessage, steps: Step[] }[]} turns
 * @returns {object[]}
 */
export function toMessages(system, turns) {
  const messages = system.trim() === "" ? [] : [{ role: "system", content: system }];
  for (const { user, steps } of turns) {
    messages.push(toUserMessage(user));
    for (const step of steps) messages.push(...toStepMessages(step));
  }
  return messages;
}

/** A message with only text is a string, as most clients send it. */
function toUserMessage({ text, images }) {
  if (images.length === 0) return { role: "user", content: text };
  const parts = images.map(({ url }) => ({ type: "image_url", image_url: { url } }));
  return {
    role: "user",
    content: text === "" ? parts : [{ type: "text", text }, ...parts],
  };
}

/** The answer of a model, followed by the answers to its tool calls. */
function toStepMessages(step) {
  const message = step.toMessage();
  if (message === undefined) return [];
  const answers = (message.tool_calls ?? []).map(({ id }) => ({
    role: "tool",
    tool_call_id: id,
    content: step.toolAnswers.get(id) ?? "",
  }));
  return [message, ...answers];
}

/** The parameters that can be set for one model of a comparison. */
export const OWN_PARAMETERS = ["temperature", "max_tokens", "reasoning_effort"];

/** The parameters that vendors refuse without tools. */
const TOOL_PARAMETERS = ["tool_choice", "parallel_tool_calls"];

/**
 * The settings of one model of a comparison, which override those of the page.
 *
 * @param {{ system: string, parameters: Record<string, string>, tools: string, stream: boolean,
 * streamUsage: boolean }} settings
 * @param {{ own?: { system?: string, parameters?: Record<string, string>, tools?: false } }} column
 */
export function settingsOf({ system, parameters, tools, stream, streamUsage }, { own = {} }) {
  const texts = { ...parameters };
  for (const [name, text] of Object.entries(own.parameters ?? {})) {
    if (text.trim() === "") continue;
    texts[name] = text;
    // The two cannot be combined.
    if (name === "max_tokens") delete texts.max_completion_tokens;
  }
  if (own.tools === false) { for (const name of TOOL_PARAMETERS) delete texts[name]; }
  return {
    ...{ system: own.system ?? system, parameters: texts, stream, streamUsage },
    tools: own.tools === false ? "" : tools,
  };
}

/** The overrides of a model in words, such as `temperature 0.2`. */
export function ownTexts({ own = {} }) {
  return [
    ...(own.system === undefined ? [] : ["own system message"]),
    ...Object.entries(own.parameters ?? {}).filter(([, text]) => text.trim() !== "")
      .map(([name, text]) => `${name} ${text.trim()}`),
    ...(own.tools === false ? ["no tools"] : []),
  ];
}

/**
 * Reads the settings of the page.
 *
 * @param {{ parameters: Record<string, string>, tools: string, stream: boolean, streamUsage:
 * boolean }} settings
 * @returns {{ members: object, headers: Record<string, string>, errors: Map<string, string> }} the
 * members of the body except the model and the messages
 */
export function readSettings({ parameters, tools, stream, streamUsage }) {
  const { values, errors } = readParameters(parameters);
  const members = {};
  const headers = {};
  const read = readTools(tools);
  if ("error" in read) errors.set("tools", read.error);
  if (stream) {
    members.stream = true;
    if (streamUsage) members.stream_options = { include_usage: true, include_cost: true };
  }
  if (read.value !== undefined) members.tools = read.value;
  for (const [name, value] of values) {
    if (name.startsWith("x-sluice-")) headers[name] = String(value);
    else if (name === "other") Object.assign(members, value);
    else members[name] = name === "tool_choice" ? toToolChoice(value) : value;
  }
  if (headers["x-sluice-strict"] === "false") delete headers["x-sluice-strict"];
  return { members, headers, errors };
}

const TOOL_CHOICES = new Set(["auto", "none", "required"]);

function toToolChoice(word) {
  return TOOL_CHOICES.has(word) ? word : { type: "function", function: { name: word } };
}

/** The body of a request. */
export function toBody(model, messages, members) {
  return { model, messages, ...members };
}

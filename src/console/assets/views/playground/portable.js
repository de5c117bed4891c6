/**
 * A conversation with its settings, or settings alone, as one text: for a file, a link and what is
 * saved in the browser. It holds no receipt, no body and nothing of the session.
 */

import { parseJson } from "../../lib/json_text.js";
import { APIS } from "./apis/list.js";
import { isParameter } from "./parameters.js";
import { OWN_PARAMETERS } from "./request_body.js";

/** The member that says what the text is; its value is the version. */
const VERSION_MEMBER = "sluice_playground";
const VERSION = 1;

/** The largest text, in characters: all images of one message fit in. */
export const MAX_CHARS = 32_000_000;
const MAX_MODELS = 4;
const MAX_RUNS = 10;
const MAX_TURNS = 1000;
/** The most answers of a model in one turn, images of a message, and tool calls of an answer. */
const MAX_ENTRIES = 100;

/** Images travel as data; an address is only sent, and never loaded by the page. */
const IMAGE_URL = /^(?:data:image\/(?:png|jpeg|webp|gif);base64,[A-Za-z0-9+/]+={0,2}|https?:\S+)$/;

/**
 * Writes a state of the playground.
 *
 * @param {any} state
 * @param {{ onlySettings?: boolean }} [options]
 * @returns {string}
 */
export function toPortable(state, { onlySettings = false } = {}) {
  const { api, columns, draft, parameters, runCount, stream, streamUsage, system } = state;
  const { tools, turns } = state;
  const settings = {
    [VERSION_MEMBER]: VERSION,
    models: columns.map(({ model }) => model),
    ...(columns.some(({ own }) => own) && { own: columns.map(({ own }) => own ?? null) }),
    ...{ system, parameters, tools, stream, stream_usage: streamUsage, runs: runCount, api },
  };
  if (onlySettings) return JSON.stringify(settings);
  return JSON.stringify({
    ...settings,
    draft,
    turns: turns.map(({ user, runs }) => ({
      user,
      answers: columns.map(({ id }) => (runs.get(id) ?? []).flatMap(toAnswer)),
    })),
  });
}

/** An answer of which nothing has arrived is left out. */
function toAnswer({ fold, toolAnswers }) {
  const message = fold.toMessage();
  if (message === undefined) return [];
  const { reasoning } = fold;
  return [{
    message: { ...message, ...(reasoning !== "" && { reasoning_content: reasoning }) },
    tool_answers: [...toolAnswers],
  }];
}

/**
 * Reads such a text. Everything is checked, since it may come from a stranger; what is unknown is
 * left out.
 *
 * @param {string} text
 * @returns {{ error: string } | { error?: undefined, models: string[],
 *   own: (object | undefined)[], settings: object,
 *   draft?: object, turns?: { user: object, answers: { message: object,
 *   toolAnswers: Map<string, string> }[][] }[] }} without `turns`, settings alone
 */
export function readPortable(text) {
  if (text.length > MAX_CHARS) return { error: `It has more than ${MAX_CHARS} characters` };
  const read = parseJson(text);
  if ("error" in read) return read;
  try {
    return checked(read.value);
  } catch (thrown) {
    if (thrown instanceof RangeError) return { error: thrown.message };
    throw thrown;
  }
}

function checked(value) {
  must(isObject(value) && VERSION_MEMBER in value, "It is not a conversation of the playground");
  must(value[VERSION_MEMBER] === VERSION, "It was written by another version of the console");
  const models = list(value.models, MAX_MODELS, "models").map((name) => string(name, "models"));
  must(models.length > 0, "'models' is empty");
  const own = list(value.own ?? [], models.length, "own").map(readOwn);
  const settings = {
    api: readApi(value.api ?? "chat"),
    runCount: readCount(value.runs ?? 1),
    system: string(value.system, "system"),
    parameters: readTexts(value.parameters, "parameters", isParameter),
    tools: string(value.tools, "tools"),
    stream: boolean(value.stream, "stream"),
    streamUsage: boolean(value.stream_usage, "stream_usage"),
  };
  if (value.turns === undefined) return { models, own, settings };
  const turns = list(value.turns, MAX_TURNS, "turns").map((turn, index) =>
    readTurn(turn, `turns[${index}]`, models.length)
  );
  return { models, own, settings, draft: readUser(value.draft, "draft"), turns };
}

/** The settings of one model of a comparison; undefined if it has none. */
function readOwn(own, index) {
  if (own === null) return undefined;
  const at = `own[${index}]`;
  must(isObject(own), `'${at}' must be an object`);
  const { system, parameters = {}, tools } = own;
  must(tools === undefined || tools === false, `'${at}.tools' must be false`);
  const isOwn = (name) => OWN_PARAMETERS.includes(name);
  return {
    ...(system !== undefined && { system: string(system, `${at}.system`) }),
    parameters: readTexts(parameters, `${at}.parameters`, isOwn),
    ...(tools === false && { tools }),
  };
}

function readApi(api) {
  must(APIS.has(api), `'api' must be one of ${[...APIS.keys()].join(", ")}`);
  return api;
}

function readCount(runs) {
  must(
    Number.isInteger(runs) && runs >= 1 && runs <= MAX_RUNS,
    `'runs' must be from 1 to ${MAX_RUNS}`,
  );
  return runs;
}

function readTexts(parameters, at, isKnown) {
  must(isObject(parameters), `'${at}' must be an object`);
  const entries = Object.entries(parameters);
  for (const [name] of entries) must(isKnown(name), `'${at}' has an unknown '${name}'`);
  return Object.fromEntries(entries.map(([name, text]) => [name, string(text, `${at}.${name}`)]));
}

function readTurn(turn, at, columns) {
  must(isObject(turn), `'${at}' must be an object`);
  const answers = list(turn.answers, columns, `${at}.answers`);
  return {
    user: readUser(turn.user, `${at}.user`),
    answers: answers.map((all) =>
      list(all, MAX_ENTRIES, `${at}.answers`).map((answer) => readAnswer(answer, `${at}.answers`))
    ),
  };
}

function readUser(user, at) {
  must(isObject(user), `'${at}' must be an object`);
  const images = list(user.images, MAX_ENTRIES, `${at}.images`).map((image) => {
    must(
      isObject(image) && typeof image.url === "string" && IMAGE_URL.test(image.url),
      `'${at}.images' must be PNG, JPEG, WebP or GIF as data, or addresses`,
    );
    const size = Number.isSafeInteger(image.size) && image.size >= 0 ? image.size : 0;
    return { name: string(image.name, `${at}.images`), size, url: image.url };
  });
  return { text: string(user.text, `${at}.text`), images };
}

function readAnswer(answer, at) {
  const message = answer?.message;
  must(isObject(message) && message.role === "assistant", `'${at}' must be answers of a model`);
  const { content, reasoning_details: details, tool_calls: calls } = message;
  const texts = ["refusal", "reasoning_content"].filter((name) => message[name] !== undefined)
    .map((name) => [name, string(message[name], `${at}.${name}`)]);
  return {
    message: {
      role: "assistant",
      content: content === null ? null : string(content, `${at}.content`),
      ...Object.fromEntries(texts),
      ...(calls !== undefined && {
        tool_calls: list(calls, MAX_ENTRIES, `${at}.tool_calls`).map((call) => readCall(call, at)),
      }),
      ...(details !== undefined && { reasoning_details: readDetails(details, at) }),
    },
    toolAnswers: new Map(
      list(answer.tool_answers, MAX_ENTRIES, `${at}.tool_answers`).map((pair) =>
        list(pair, 2, `${at}.tool_answers`).map((text) => string(text, `${at}.tool_answers`))
      ),
    ),
  };
}

function readCall(call, at) {
  const kind = call?.type === "custom" ? "custom" : "function";
  const input = kind === "custom" ? "input" : "arguments";
  must(isObject(call) && isObject(call[kind]), `'${at}.tool_calls' has no '${kind}'`);
  return {
    id: string(call.id, `${at}.tool_calls`),
    type: kind,
    [kind]: {
      name: string(call[kind].name, `${at}.tool_calls`),
      [input]: string(call[kind][input], `${at}.tool_calls`),
    },
  };
}

function readDetails(details, at) {
  for (const detail of list(details, MAX_ENTRIES, `${at}.reasoning_details`)) {
    must(isObject(detail), `'${at}.reasoning_details' must be objects`);
  }
  return details;
}

function must(holds, fault) {
  if (!holds) throw new RangeError(fault);
}

function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function string(value, at) {
  must(typeof value === "string", `'${at}' must be a text`);
  return value;
}

function boolean(value, at) {
  must(typeof value === "boolean", `'${at}' must be true or false`);
  return value;
}

function list(value, max, at) {
  must(Array.isArray(value), `'${at}' must be a list`);
  must(value.length <= max, `'${at}' has more than ${max} entries`);
  return value;
}

/**
 * Adapts bodies of the Messages API to models that do not support all of it, since clients do not
 * know these models.
 */

import { isObject, type JsonObject } from "../../../core/json/object.ts";
import type { RequestChanges } from "../../../contract/request_changes.ts";
import { CLAUDE_EFFORTS, type ClaudeModel, claudeModel } from "./models.ts";
import { nearestEffort, planThinking } from "./thinking.ts";
import { isText } from "../../../core/json/values.ts";
import { betaRewrite, gatedRewrite, toBetas, toolMemberRewrite } from "./betas.ts";
import type { Repair, RequestRewrite, TargetModel } from "../../../contract/vendor_request.ts";

/**
 * A body of the Messages API without the role `system` in `messages`; the same one if it has none.
 * Messages at the start become `system`. A later one becomes text in its place: at the end of the
 * preceding user message, otherwise in the next one, after its tool results. The conversion is
 * deterministic, so that the vendor's cache stays valid. Exported for tests.
 */
export function withoutSystemTurns(body: JsonObject): JsonObject {
  const { messages } = body;
  if (!Array.isArray(messages) || !messages.some(isSystem)) return body;
  const first = messages.findIndex((message) => !isSystem(message));
  const leading = messages.slice(0, first < 0 ? messages.length : first);
  const turns = new UserTexts();
  for (const message of messages.slice(leading.length)) {
    if (isSystem(message)) turns.addText(message);
    else turns.add(message);
  }
  const instructions = leading.flatMap(({ content }) => blocksOf(content));
  return {
    ...body,
    ...(instructions.length > 0 && { system: [...blocksOf(body.system), ...instructions] }),
    messages: turns.end(),
  };
}

class UserTexts {
  readonly #messages: unknown[] = [];
  /** Text for the next user message. */
  #waiting: JsonObject[] = [];

  add(message: unknown): void {
    const isUser = isObject(message) && message.role === "user";
    if (!isUser || this.#waiting.length === 0) {
      this.#messages.push(message);
      return;
    }
    const blocks = blocksOf(message.content);
    const results = blocks.findLastIndex((block) =>
      isObject(block) && block.type === "tool_result"
    );
    const content = blocks.toSpliced(results + 1, 0, ...this.#waiting);
    this.#messages.push({ ...message, content });
    this.#waiting = [];
  }

  addText({ content }: JsonObject): void {
    const text = toText(blocksOf(content));
    const last = this.#messages.at(-1);
    if (!isObject(last) || last.role !== "user") {
      this.#waiting.push(text);
      return;
    }
    this.#messages[this.#messages.length - 1] = {
      ...last,
      content: [...blocksOf(last.content), text],
    };
  }

  end(): unknown[] {
    if (this.#waiting.length > 0) this.#messages.push({ role: "user", content: this.#waiting });
    return this.#messages;
  }
}

function isSystem(message: unknown): message is JsonObject {
  return isObject(message) && message.role === "system";
}

function blocksOf(content: unknown): readonly unknown[] {
  if (Array.isArray(content)) return content;
  return isText(content) ? [{ type: "text", text: content }] : [];
}

/** One text, with the last cache marker. */
function toText(blocks: readonly unknown[]): JsonObject {
  const texts = blocks.filter(isObject);
  const marked = texts.findLast(({ cache_control }) => isObject(cache_control));
  const text = texts.map(({ text }) => isText(text) ? text : "").join("\n\n");
  return {
    type: "text",
    text: `<system>${text}</system>`,
    ...(marked !== undefined && { cache_control: marked.cache_control }),
  };
}

/**
 * Converts parts that a known model rejects: a mode of thinking, an effort, and system messages
 * within the conversation. Returns the same body if there is nothing to convert, or if the model is
 * unknown.
 */
export function fitToModel(
  body: JsonObject,
  { base, facts }: TargetModel,
  changes: RequestChanges,
): JsonObject {
  const model = claudeModel(base, facts);
  if (model.match === "") return body;
  const { thinking } = body;
  const isAdaptive = isObject(thinking) && thinking.type === "adaptive";
  const fitted = isAdaptive && (model.thinking === "budget" || model.thinking === "none")
    ? withBudget(body, model, changes)
    : body;
  const placed = model.systemTurns ? fitted : placeSystem(fitted, changes);
  return fitEffort(placed, model, changes);
}

/** The effort that the model accepts; none if it does not accept any. */
function fitEffort(body: JsonObject, model: ClaudeModel, changes: RequestChanges): JsonObject {
  const { output_config: config } = body;
  if (!isObject(config) || config.effort == null) return body;
  const effort = CLAUDE_EFFORTS.find((known) => known === config.effort);
  if (model.efforts.length === 0) return withoutEffort(body, changes);
  if (effort === undefined || model.efforts.includes(effort)) return body;
  const nearest = nearestEffort(model, effort);
  changes.convert("output_config.effort", effort, nearest);
  return { ...body, output_config: { ...config, effort: nearest } };
}

function withoutEffort(
  { output_config: config, ...body }: JsonObject,
  changes: RequestChanges,
): JsonObject {
  const { effort: _, ...others } = isObject(config) ? config : {};
  changes.ignore("output_config.effort");
  return Object.keys(others).length > 0 ? { ...body, output_config: others } : body;
}

/**
 * Converts adaptive thinking to a budget for the effort, or disables it if the rest of the body
 * rules out a budget (https://platform.claude.com/docs/en/build-with-claude/extended-thinking,
 * 2026-11-20).
 */
function withBudget(body: JsonObject, model: ClaudeModel, changes: RequestChanges): JsonObject {
  const { thinking: _, ...others } = body;
  const { output_config: config, max_tokens: most } = body;
  const requested = isObject(config) ? config.effort : undefined;
  const effort = CLAUDE_EFFORTS.find((known) => known === requested) ?? "high";
  const isPossible = typeof most === "number" && !rulesOutBudget(body);
  const plan = isPossible ? planThinking({ ...model, efforts: [] }, effort, most) : {};
  if (plan.thinking === undefined) {
    changes.ignore("thinking");
    return others;
  }
  changes.convert("thinking", "adaptive", "enabled");
  return { ...body, thinking: plan.thinking };
}

function rulesOutBudget(
  { messages, temperature, tool_choice: choice, top_k }: JsonObject,
): boolean {
  const isForced = isObject(choice) && (choice.type === "any" || choice.type === "tool");
  const isSampled = top_k != null || temperature != null && temperature !== 1;
  return isForced || isSampled || endsInUnthoughtCalls(messages);
}

/** Whether the last assistant turn calls tools without thinking. */
function endsInUnthoughtCalls(messages: unknown): boolean {
  const turns = Array.isArray(messages) ? messages.filter(isObject) : [];
  const content = turns.findLast(({ role }) => role === "assistant")?.content;
  const blocks = Array.isArray(content) ? content.filter(isObject) : [];
  const [first] = blocks;
  const hasThought = first?.type === "thinking" || first?.type === "redacted_thinking";
  return blocks.some(({ type }) => type === "tool_use") && !hasThought;
}

function placeSystem(body: JsonObject, changes: RequestChanges): JsonObject {
  const placed = withoutSystemTurns(body);
  if (placed !== body) changes.convert("messages.role", "system", "user");
  return placed;
}

/** Any model that accepts a budget. */
const BUDGET = claudeModel("claude-haiku-4-5");

function rewriteBody(
  name: string,
  change: (body: JsonObject, changes: RequestChanges) => JsonObject,
): RequestRewrite {
  return {
    name,
    isKept: true,
    apply(request, changes) {
      const body = change(request.body, changes);
      return body === request.body ? request : { ...request, body };
    },
  };
}

/** The same conversions for unknown models, after they have rejected a request. */
const ADAPTIVE_REFUSED = rewriteBody("thinking.adaptive", (body, changes) => {
  const { thinking } = body;
  return isObject(thinking) && thinking.type === "adaptive"
    ? withBudget(body, BUDGET, changes)
    : body;
});

/** Adaptive thinking in place of a budget. */
const BUDGET_REFUSED = rewriteBody("thinking.enabled", (body, changes) => {
  const { thinking } = body;
  if (!isObject(thinking) || thinking.type !== "enabled") return body;
  const { budget_tokens: _, ...others } = thinking;
  changes.convert("thinking", "enabled", "adaptive");
  return { ...body, thinking: { ...others, type: "adaptive" } };
});

/** A body without an effort. */
const EFFORT_REFUSED = rewriteBody("output_config.effort", (body, changes) => {
  const { output_config: config } = body;
  return isObject(config) && config.effort !== undefined ? withoutEffort(body, changes) : body;
});

/** A body without the role `system`. */
export const SYSTEM_REFUSED = rewriteBody("messages.system", placeSystem);

/**
 * The wording of error messages, and the corresponding repairs. The API has no error codes for
 * these (https://platform.claude.com/docs/en/api/errors, 2026-11-20).
 */
const REPAIRS: readonly (readonly [words: RegExp, repair: (name: string) => Repair | undefined])[] =
  [
    // The same page.
    [/^adaptive thinking is not supported on this model/, () => ({ rewrite: ADAPTIVE_REFUSED })],
    [/^"thinking\.type\.enabled" is not supported/, () => ({ rewrite: BUDGET_REFUSED })],
    [/^This model does not support the effort parameter/, () => ({ rewrite: EFFORT_REFUSED })],
    // https://platform.claude.com/docs/en/build-with-claude/mid-conversation-system-messages (2026-11-20).
    [/^role 'system' is not supported on this model/, () => ({ rewrite: SYSTEM_REFUSED })],
    // https://github.com/anthropics/claude-code/issues/34802 (2026-03-16).
    [
      /^Unexpected value\(s\) ((?:`[\w.-]+`(?:, )?)+) for the `anthropic-beta` header/,
      (list) => ({ rewrite: betaRewrite(toBetas(list.replaceAll("`", ""))) }),
    ],
    // GitHub Copilot: https://github.com/caozhiyuan/copilot-api/pull/144 (2026-03-31).
    [
      /^unsupported beta header\(s\): ([\w.,\x20-]+)$/,
      (list) => ({ rewrite: betaRewrite(toBetas(list)) }),
    ],
    // Bedrock, which does not name it: https://github.com/anthropics/claude-code/issues/49370 (2026-04-16).
    [/^invalid beta flag/, () => ({ rewrite: betaRewrite("all") })],
    // https://github.com/danielmiessler/Fabric/issues/2109 (2026-05-01).
    [/^`?(temperature|top_p|top_k)`? is deprecated/, (without) => ({ without })],
    // https://github.com/anthropics/claude-agent-sdk-python/issues/694 (2026-03-18).
    [/^([\w.]+): Extra inputs are not permitted/, toPathRepair],
  ];

/** Bedrock's text before the model's message. */
const PREFIX = /^The model returned the following errors: /;

/** The repair for the message of a 400; undefined for other messages. */
export function claudeRepair(message: string): Repair | undefined {
  const reported = message.replace(PREFIX, "");
  for (const [pattern, toRepair] of REPAIRS) {
    const [words, name = ""] = pattern.exec(reported) ?? [];
    if (words === undefined) continue;
    const repair = toRepair(name);
    return repair && { ...repair, words };
  }
  return undefined;
}

/** Members that are the prompt itself, or that the API requires. */
const ESSENTIAL = new Set([
  ...["max_tokens", "messages", "model", "stream", "system", "thread", "tool_choice", "tools"],
]);

/** Paths contain list positions and the types of objects: `tools.11.custom.defer_loading`. */
function toPathRepair(path: string): Repair | undefined {
  const steps = path.split(".");
  const [first = "", ...others] = steps;
  const last = steps.at(-1) ?? "";
  if (others.length === 0) {
    if (ESSENTIAL.has(first)) return undefined;
    const rewrite = gatedRewrite(first);
    return rewrite ? { rewrite } : { without: first };
  }
  const marker = steps.indexOf("cache_control");
  const gated = marker >= 0 && last === "scope"
    ? gatedRewrite("cache_control.scope")
    : gatedRewrite(`${first}.${last}`);
  if (gated !== undefined) return { rewrite: gated };
  const isTool = first === "tools" && steps.length <= 4 && marker < 0;
  return isTool ? { rewrite: toolMemberRewrite(last) } : undefined;
}

/** What an error of the Messages API says is refused, for the words that are known. */

import type { Repair } from "../../contract/adapter.ts";
import { betaRewrite, gatedRewrite, toBetas, toolMemberRewrite } from "./betas.ts";
import { ADAPTIVE_REFUSED, BUDGET_REFUSED, EFFORT_REFUSED, SYSTEM_REFUSED } from "./native_fit.ts";

/**
 * Words and the repair. The API has no codes for these
 * (https://platform.claude.com/docs/en/api/errors, 2026-11-20).
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

/** Bedrock's words before those of the model. */
const PREFIX = /^The model returned the following errors: /;

/** The repair for a message of a 400; undefined for other words. */
export function claudeRepair(message: string): Repair | undefined {
  const told = message.replace(PREFIX, "");
  for (const [pattern, toRepair] of REPAIRS) {
    const [words, name = ""] = pattern.exec(told) ?? [];
    if (words === undefined) continue;
    const repair = toRepair(name);
    return repair && { ...repair, words };
  }
  return undefined;
}

/** Members that are the question itself, or that the API requires. */
const ESSENTIAL = new Set([
  ...["max_tokens", "messages", "model", "stream", "system", "thread", "tool_choice", "tools"],
]);

/** Paths have the places in lists and the types of objects: `tools.11.custom.defer_loading`. */
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

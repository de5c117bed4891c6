/**
 * Changes what a vendor refuses in the names, keys, roles and results of a chat request, before its
 * adapter converts the request. Answers have the caller's names again.
 */

import type { ChatRequest } from "../../chat/chat.ts";
import { traitsOf } from "../../chat/traits.ts";
import type { Call } from "../../providers/contract/adapter.ts";
import type { Refusals } from "../../providers/contract/refusals.ts";
import { withPropertyNames } from "../../providers/shared/refusals/property_names.ts";
import { restoring } from "../../providers/shared/refusals/restored_answers.ts";
import {
  type SentNames,
  toSentNames,
  usesTools,
  withToolNames,
} from "../../providers/shared/refusals/tool_names.ts";
import type { Checked } from "./prepare_request.ts";

/** The same call without what the vendor refuses, and an adapter that restores the answer. */
export function withoutRefused(checked: Checked): Checked {
  const { adapter, call } = checked;
  const refusals = adapter.refuses?.(call.model);
  if (refusals === undefined || !usesTools(call.request)) return checked;
  const { propertyNames } = refusals;
  const renamed = propertyNames && withPropertyNames(call.request, propertyNames);
  if (renamed !== undefined) call.receipt.convert("tools.parameters");
  const named = renamed?.request ?? call.request;
  const names = renamedTools(named, refusals);
  if (renamed === undefined && names === undefined) return checked;
  const sent = withRequest(call, names === undefined ? named : withToolNames(named, names));
  const tools = new Map([...names ?? []].map(([name, sentName]) => [sentName, name]));
  return {
    adapter: restoring(adapter, sent, { tools, properties: renamed?.original }),
    call: sent,
  };
}

/** The call with a changed request: native parameters are also fields. */
function withRequest(call: Call, request: ChatRequest): Call {
  const fields = { ...call.fields };
  for (const name of TOOL_PARAMETERS) {
    if (fields[name] === call.request[name] && name in fields) fields[name] = request[name];
  }
  return { ...call, request, fields };
}

const TOOL_PARAMETERS = ["tools", "tool_choice", "functions", "function_call"] as const;

/** The new names of tools; undefined if none changes. */
function renamedTools(
  request: ChatRequest,
  { toolNames, isChatRule }: Refusals,
): SentNames | undefined {
  if (toolNames === undefined || isChatRule && !traitsOf(request).isConverted) return undefined;
  const names = toSentNames(request, toolNames);
  return names.size === 0 ? undefined : names;
}

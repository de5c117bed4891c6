/** The model list of vendors with an OpenAI-compatible API: `GET /models`. */

import { isObject, type JsonObject } from "../../core/json/object.ts";
import { isText } from "../../core/json/values.ts";
import type { ModelFacts } from "../../contract/model_facts.ts";
import type { ListedModel, ModelListApi } from "../../contract/adapter.ts";
import { entriesOf, listRequest, toFacts } from "../shared/model_list.ts";
import type { Auth, ProviderSettings } from "../../contract/vendor_request.ts";

/** How a vendor's list differs from OpenAI's. */
export interface DialectModels {
  readonly auth?: Auth;
  /** The URL, if it is not `/models` below the base URL. */
  readonly url?: (provider: ProviderSettings) => string;
  /** Whether an answer is a list from this server. Default: any list is. */
  readonly isOwn?: (entry: JsonObject) => boolean;
  /** Whether an entry is a usable model. Default: all are. */
  readonly isUsable?: (entry: JsonObject) => boolean;
  /** Whether `created` is the model's date. Local servers send the current time instead. */
  readonly hasDates?: boolean;
  /** Facts besides the context window and the output limit. */
  readonly facts?: (entry: JsonObject) => ModelFacts;
  /** The model whose facts apply, if the ID does not identify it. */
  readonly base?: (entry: JsonObject) => string | undefined;
}

/** Creates the list for a vendor. */
export function dialectModels(row: DialectModels = {}): ModelListApi {
  const { auth = { type: "bearer" }, url, isOwn = () => true, isUsable = () => true } = row;
  return {
    toRequests: (provider) => [
      listRequest(url?.(provider) ?? `${provider.baseUrl}/models`, auth),
    ],
    read(body) {
      const entries = entriesOf(isObject(body) ? body.data : body);
      return { models: entries.filter(isOwn).filter(isUsable).flatMap((one) => toModel(one, row)) };
    },
  };
}

function toModel(
  entry: JsonObject,
  { hasDates = true, facts, base }: DialectModels,
): ListedModel[] {
  const { id, created } = entry;
  if (!isText(id)) return [];
  const from = base?.(entry);
  return [{
    id,
    ...(from !== undefined && { base: from }),
    facts: {
      ...toFacts({
        ...(hasDates && { created }),
        context: entry.context_length ?? entry.context_window ?? entry.max_context_length ??
          entry.max_model_len,
        output: entry.max_output_tokens ?? entry.max_completion_tokens,
      }),
      ...facts?.(entry),
    },
  }];
}

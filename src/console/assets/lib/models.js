/** The models that the service key may use, and their facts in words. */

import { useEffect, useState } from "./preact.js";
import { getJson } from "./api.js";
import { price, short } from "./format.js";

/** How a model is named: by its plain ID, with its provider, or by an alias. */
export function kindOfName({ id, root }) {
  if (id === root) return "model";
  return id.startsWith(`${root}@`) ? "pinned" : "alias";
}

/**
 * Loads the models.
 *
 * @returns {{ models: object[], error: Error | null, isLoading: boolean, reload: () => void }}
 */
export function useModels() {
  const [state, setState] = useState({ models: [], error: null, isLoading: true });
  const [attempt, setAttempt] = useState(0);
  useEffect(() => {
    const abort = new AbortController();
    getJson("/v1/models", { signal: abort.signal }).then(
      ({ data }) => setState({ models: data, error: null, isLoading: false }),
      (error) => !abort.signal.aborted && setState({ models: [], error, isLoading: false }),
    );
    return () => abort.abort();
  }, [attempt]);
  return { ...state, reload: () => setAttempt(attempt + 1) };
}

/**
 * The facts of one model. A name that is not in the list, such as `model@provider` where only one
 * provider has the model, is requested separately.
 *
 * @param {string} id
 * @param {object[]} models the list
 * @returns {object | null | undefined} null for an unknown model; undefined until it is known
 */
export function useModel(id, models) {
  const [asked, setAsked] = useState({ id: "", model: undefined });
  const listed = models.find((model) => model.id === id);
  const mustAsk = listed === undefined && id !== "" && models.length > 0;
  useEffect(() => {
    if (!mustAsk) return undefined;
    const abort = new AbortController();
    getJson(`/v1/models/${encodeURIComponent(id)}`, { signal: abort.signal }).then(
      (model) => setAsked({ id, model }),
      () => !abort.signal.aborted && setAsked({ id, model: null }),
    );
    return () => abort.abort();
  }, [id, mustAsk]);
  return listed ?? (asked.id === id ? asked.model : undefined);
}

/** The limits of a model, such as `128k context`. */
export function limitsOf({ context_window, max_output_tokens }) {
  return [
    ...(context_window ? [`${short(context_window)} context`] : []),
    ...(max_output_tokens ? [`${short(max_output_tokens)} output`] : []),
  ];
}

/** The prices of a million tokens, such as `$0.25 in, $2.00 out`; undefined if unknown. */
export function pricesOf({ prices }) {
  if (!prices) return undefined;
  return `${price(prices.input)} in, ${price(prices.output)} out`;
}

const CAPABILITIES = new Map([
  ["tools", "tools"],
  ["vision", "images"],
  ["json_schema", "JSON schema"],
  ["reasoning", "reasoning"],
]);

/** The capabilities of a model in words. */
export function capabilitiesOf({ capabilities }) {
  return [...CAPABILITIES].filter(([name]) => capabilities?.[name]).map(([, word]) => word);
}

/** Whether a model is for embeddings, which takes part in no conversation. */
export function isForEmbeddings({ capabilities, dimensions }) {
  return capabilities?.embeddings === true || dimensions !== undefined;
}

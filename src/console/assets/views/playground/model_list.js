/** The models that the service key may use. */

import { useEffect, useState } from "../../lib/preact.js";
import { getJson } from "../../lib/api.js";

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
 * @returns {object | null | undefined} null for an unknown model; undefined while loading
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

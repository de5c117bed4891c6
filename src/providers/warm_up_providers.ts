/** Providers for requests that never leave the process, which warm up the code for vendors. */

/** The model of the provider that answers each request in-process. */
const ECHO = "echo";

/** The kind of most vendors' adapters. */
const MOST = "openai_compatible";

/** The kinds that these providers always have. */
export const WARM_UP_KINDS: readonly string[] = [MOST, "mock"];

/** The API path of an adapter's requests, by kind. */
const API_PATHS: ReadonlyMap<string, string> = new Map([
  [MOST, "/v1"],
  ["anthropic", "/v1"],
  ["gemini", "/v1beta"],
]);

/**
 * The settings of providers that use the same code as providers of these kinds. Each has a model
 * with its own name, whose requests are sent to a vendor at `origin` as the model `echo`.
 */
export function warmUpProviders(
  kinds: Iterable<string>,
  origin: string,
  key: string,
): { readonly models: readonly string[]; readonly providers: Readonly<Record<string, unknown>> } {
  const models = [...new Set([...kinds].map((kind) => API_PATHS.has(kind) ? kind : MOST))];
  const entries = models.map((kind): [string, unknown] => [kind, {
    kind,
    base_url: origin + API_PATHS.get(kind),
    api_key: key,
    models: [{ id: kind, upstream: ECHO }],
  }]);
  const echo = { kind: "mock", models: [ECHO] };
  return { models, providers: { ...Object.fromEntries(entries), echo } };
}

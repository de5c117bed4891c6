/** The reference of the ledger: each column, and what sums add up of it. */

import type { Column } from "../../src/governance/ledger/column_types.ts";
import { COLUMNS } from "../../src/governance/ledger/row.ts";

/** What each column holds. A column without an entry does not compile. */
const MEANINGS: Readonly<Record<keyof typeof COLUMNS, string>> = {
  id: "The request ID",
  time: "When the request ended",
  key: "The name of the service key",
  tags: "Tags of the request",
  model: "The model as named by the client, or the pattern of the matching alias",
  modelFound: "Whether a request without a target names a model that exists",
  alias: "The alias through which the model was found",
  provider: "The provider that answered, or was tried last",
  upstream: "The upstream name of the model",
  format: "The format of the request",
  status: "The status; 499 if the client disconnected",
  error: "The error code of a failed request",
  attempts: "The number of attempts",
  attemptRows: "The attempts of a request that needed several, or failed",
  input: "Input tokens, including cached ones",
  cachedInput: "Input tokens that the vendor read from its cache",
  cacheWrite: "Input tokens that the vendor wrote to its cache",
  output: "Output tokens, including reasoning",
  reasoning: "Reasoning tokens",
  source: "The source of the token counts: the vendor or an estimate",
  usd: "The cost in USD; absent if the price is unknown",
  savedUsd: "Savings of the vendor's cache or the response cache, in USD",
  searches: "Searches of reranking models",
  images: "Generated images",
  characters: "Characters of synthesized speech",
  seconds: "Seconds of transcribed audio",
  prices: "The prices used for the cost",
  ms: "Milliseconds from arrival to end",
  firstTokenMs: "Milliseconds to the first event of a stream",
  cacheWriteUsd: "The surcharge for writes to the vendor's cache, in USD",
  responseCache: "`hit` or `miss` of the response cache",
  hedged: "Whether a second target was tried at the same time",
  hedgeUsd: "The cost of the abandoned attempt of a hedged request, in USD",
  priceOrdered: "Whether the answering target was chosen by price",
  priceOrderUsd: "How much more the same tokens would have cost at the first target, in USD",
  queuedMs: "Milliseconds that the request waited for a limit",
  affinity: "Whether the session stayed with its target: `hit`, `moved` or `new`",
  session: "The session named by the client, or its pseudonym",
  agent: "The agent of the session",
  parentAgent: "The agent that started this agent",
  endUser: "The end user named by the client, as a pseudonym unless configured otherwise",
  route: "Why this target was tried",
  team: "The team of the key",
  owner: "The owner of the key",
};

export function toLedgerMarkdown(): string {
  const columns = Object.entries(COLUMNS) as [keyof typeof COLUMNS, Column][];
  return [
    "| column | report | SQLite | PostgreSQL | meaning | sums in reports |",
    "| --- | --- | --- | --- | --- | --- |",
    ...columns.map(([member, { name, report, type, sums = {} }]) => {
      const added = Object.values(sums).map((sum) => `\`${sum.report}\``).join(", ");
      const shown = report === undefined ? "" : `\`${report}\``;
      return `| <a id="${name}"></a>\`${name}\` | ${shown} | ${type.sqlite} | ${type.postgres} | ` +
        `${MEANINGS[member]} | ${added} |`;
    }),
  ].join("\n");
}

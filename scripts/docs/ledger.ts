/** The reference of the ledger: each column, and what sums add up of it. */

import type { Column } from "../../src/governance/ledger/column_types.ts";
import { COLUMNS } from "../../src/governance/ledger/row.ts";

/** What each column holds. A column without an entry does not compile. */
const MEANINGS: Readonly<Record<keyof typeof COLUMNS, string>> = {
  id: "The request ID",
  time: "When the request ended",
  key: "The name of the service key",
  tags: "Tags of the request",
  model: "The model as the client wrote it, or the pattern of the alias that it matched",
  modelFound: "Whether a request without a target names a model that exists",
  alias: "The alias by which the model was found",
  provider: "The provider that answered, or was tried last",
  upstream: "The upstream name of the model",
  format: "The format of the request",
  status: "The status; 499 if the client disconnected",
  error: "The error code of a failed request",
  attempts: "The number of attempts",
  attemptRows: "The attempts of a request that needed several, or failed",
  input: "Input tokens, cached ones included",
  cachedInput: "Input tokens that the vendor read from its cache",
  cacheWrite: "Input tokens that the vendor wrote to its cache",
  output: "Output tokens, reasoning included",
  reasoning: "Output tokens of reasoning",
  source: "Who counted the tokens: the vendor, or an estimate",
  usd: "The cost in USD; absent if the price is unknown",
  savedUsd: "What the vendor's cache or the response cache saved, in USD",
  searches: "Searches of reranking models",
  images: "Generated images",
  characters: "Characters that were spoken",
  seconds: "Seconds of audio that were transcribed",
  prices: "The prices by which the cost was computed",
  ms: "Milliseconds from the arrival to the end",
  firstTokenMs: "Milliseconds to the first event of a stream",
  cacheWriteUsd: "How much more writes to the vendor's cache cost than other input, in USD",
  responseCache: "`hit` or `miss` of the response cache",
  hedged: "Whether a second target was tried at the same time",
  hedgeUsd: "What the abandoned attempt of a hedged request cost, in USD",
  priceOrdered: "Whether a target answered that was chosen by its price",
  priceOrderUsd: "What the same tokens would have cost more at the first target, in USD",
  queuedMs: "Milliseconds that the request waited for a limit",
  affinity: "Whether the session stayed with its target: `hit`, `moved` or `new`",
  session: "The session that the client names, else its pseudonym",
  agent: "The agent of the session",
  parentAgent: "The agent that started this agent",
  endUser: "The end user whom the client names, as a pseudonym unless configured otherwise",
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

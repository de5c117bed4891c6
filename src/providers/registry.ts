/** The one list of adapters. A new vendor is one line here. */

import type { Adapter } from "./adapter.ts";
import { anthropic } from "./anthropic.ts";
import { cohere } from "./cohere.ts";
import { mistral } from "./mistral.ts";
import { mock } from "./mock.ts";
import { ollama } from "./ollama.ts";
import { openai, openaiCompatible } from "./openai.ts";

const ALL: readonly Adapter[] = [
  openai,
  anthropic,
  mistral,
  cohere,
  ollama,
  openaiCompatible,
  mock,
];

/** Every adapter by its kind. */
export const adapters: ReadonlyMap<string, Adapter> = new Map(
  ALL.map((adapter) => [adapter.kind, adapter]),
);

/** The one list of adapters. A new vendor is one line here. */

import type { Adapter } from "./adapter.ts";
import { anthropic } from "./anthropic.ts";
import { azure } from "./azure.ts";
import { bedrock } from "./bedrock.ts";
import { cerebras } from "./cerebras.ts";
import { cohere } from "./cohere.ts";
import { mistral } from "./mistral.ts";
import { ollama } from "./ollama.ts";
import { deepinfra } from "./deepinfra.ts";
import { deepseek } from "./deepseek.ts";
import { fireworks } from "./fireworks.ts";
import { gemini } from "./gemini.ts";
import { groq } from "./groq.ts";
import { huggingface } from "./huggingface.ts";
import { llamacpp } from "./llamacpp.ts";
import { lmstudio } from "./lmstudio.ts";
import { mock } from "./mock.ts";
import { moonshot } from "./moonshot.ts";
import { novita } from "./novita.ts";
import { nvidia } from "./nvidia.ts";
import { openai, openaiCompatible } from "./openai.ts";
import { openrouter } from "./openrouter.ts";
import { perplexity } from "./perplexity.ts";
import { qwen } from "./qwen.ts";
import { sambanova } from "./sambanova.ts";
import { together } from "./together.ts";
import { vertex } from "./vertex.ts";
import { vllm } from "./vllm.ts";
import { xai } from "./xai.ts";
import { zai } from "./zai.ts";

const ALL: readonly Adapter[] = [
  openai,
  azure,
  anthropic,
  gemini,
  vertex,
  bedrock,
  mistral,
  cohere,
  ollama,
  groq,
  deepseek,
  xai,
  together,
  fireworks,
  perplexity,
  openrouter,
  cerebras,
  deepinfra,
  nvidia,
  huggingface,
  moonshot,
  zai,
  qwen,
  sambanova,
  novita,
  vllm,
  lmstudio,
  llamacpp,
  openaiCompatible,
  mock,
];

/** Every adapter by its kind. */
export const adapters: ReadonlyMap<string, Adapter> = new Map(
  ALL.map((adapter) => [adapter.kind, adapter]),
);

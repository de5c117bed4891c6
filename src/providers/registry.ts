/** The list of all adapters. A new vendor needs one line here. */

import type { Adapter } from "../contract/adapter.ts";
import { anthropic } from "./anthropic/adapter.ts";
import { azure } from "./azure/adapter.ts";
import { bedrock } from "./bedrock/adapter.ts";
import { cerebras } from "./openai_compatible/vendors/cerebras.ts";
import { cohere } from "./cohere/adapter.ts";
import { deepgram } from "./deepgram/adapter.ts";
import { elevenlabs } from "./elevenlabs/adapter.ts";
import { mistral } from "./mistral/adapter.ts";
import { ollama } from "./ollama/adapter.ts";
import { deepinfra } from "./openai_compatible/vendors/deepinfra.ts";
import { deepseek } from "./openai_compatible/vendors/deepseek.ts";
import { fireworks } from "./openai_compatible/vendors/fireworks.ts";
import { gemini } from "./gemini/adapter.ts";
import { groq } from "./openai_compatible/vendors/groq.ts";
import { huggingface } from "./openai_compatible/vendors/huggingface.ts";
import { jina } from "./openai_compatible/vendors/jina.ts";
import { llamacpp } from "./openai_compatible/vendors/llamacpp.ts";
import { lmstudio } from "./openai_compatible/vendors/lmstudio.ts";
import { mock } from "./mock/adapter.ts";
import { moonshot } from "./openai_compatible/vendors/moonshot.ts";
import { novita } from "./openai_compatible/vendors/novita.ts";
import { nvidia } from "./openai_compatible/vendors/nvidia.ts";
import { openai } from "./openai/adapter.ts";
import { openaiCompatible } from "./openai_compatible/adapter.ts";
import { openrouter } from "./openai_compatible/vendors/openrouter.ts";
import { perplexity } from "./openai_compatible/vendors/perplexity.ts";
import { qwen } from "./openai_compatible/vendors/qwen.ts";
import { sambanova } from "./openai_compatible/vendors/sambanova.ts";
import { together } from "./openai_compatible/vendors/together.ts";
import { vertex } from "./vertex/adapter.ts";
import { vllm } from "./openai_compatible/vendors/vllm.ts";
import { voyage } from "./openai_compatible/vendors/voyage.ts";
import { xai } from "./openai_compatible/vendors/xai.ts";
import { zai } from "./openai_compatible/vendors/zai.ts";

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
  voyage,
  jina,
  elevenlabs,
  deepgram,
  vllm,
  lmstudio,
  llamacpp,
  openaiCompatible,
  mock,
];

/** All adapters by kind. */
export const adapters: ReadonlyMap<string, Adapter> = new Map(
  ALL.map((adapter) => [adapter.kind, adapter]),
);

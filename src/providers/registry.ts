/** The list of all adapters. A new vendor needs one line here. */

import type { Adapter } from "../contract/adapter.ts";
import { anthropic } from "./anthropic/anthropic_adapter.ts";
import { azure } from "./azure/azure_adapter.ts";
import { bedrock } from "./bedrock/bedrock_adapter.ts";
import { cerebras } from "./openai_compatible/vendors/cerebras.ts";
import { cohere } from "./cohere/cohere_adapter.ts";
import { deepgram } from "./deepgram/deepgram_adapter.ts";
import { elevenlabs } from "./elevenlabs/elevenlabs_adapter.ts";
import { mistral } from "./mistral/mistral_adapter.ts";
import { ollama } from "./ollama/ollama_adapter.ts";
import { deepinfra } from "./openai_compatible/vendors/deepinfra.ts";
import { deepseek } from "./openai_compatible/vendors/deepseek.ts";
import { fireworks } from "./openai_compatible/vendors/fireworks.ts";
import { gemini } from "./gemini/gemini_adapter.ts";
import { groq } from "./openai_compatible/vendors/groq.ts";
import { huggingface } from "./openai_compatible/vendors/huggingface.ts";
import { jina } from "./openai_compatible/vendors/jina.ts";
import { llamacpp } from "./openai_compatible/vendors/llamacpp.ts";
import { lmstudio } from "./openai_compatible/vendors/lmstudio.ts";
import { mock } from "./mock/mock_adapter.ts";
import { moonshot } from "./openai_compatible/vendors/moonshot.ts";
import { novita } from "./openai_compatible/vendors/novita.ts";
import { nvidia } from "./openai_compatible/vendors/nvidia.ts";
import { openai } from "./openai/openai_adapter.ts";
import { openaiCompatible } from "./openai_compatible/openai_compatible_adapter.ts";
import { openrouter } from "./openai_compatible/vendors/openrouter.ts";
import { perplexity } from "./openai_compatible/vendors/perplexity.ts";
import { qwen } from "./openai_compatible/vendors/qwen.ts";
import { sambanova } from "./openai_compatible/vendors/sambanova.ts";
import { together } from "./openai_compatible/vendors/together.ts";
import { vertex } from "./vertex/vertex_adapter.ts";
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

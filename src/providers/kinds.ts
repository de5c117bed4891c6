/**
 * All kinds of providers. An adapter is loaded when a configuration names its kind, because loading
 * all of them takes a tenth of the startup time and memory. A new vendor needs one line here.
 */

import type { Adapter } from "../contract/adapter.ts";

const LOADERS: Readonly<Record<string, () => Promise<Adapter>>> = {
  openai: () => import("./openai/openai_adapter.ts").then(({ openai }) => openai),
  azure: () => import("./azure/azure_adapter.ts").then(({ azure }) => azure),
  anthropic: () => import("./anthropic/anthropic_adapter.ts").then(({ anthropic }) => anthropic),
  gemini: () => import("./gemini/gemini_adapter.ts").then(({ gemini }) => gemini),
  vertex: () => import("./vertex/vertex_adapter.ts").then(({ vertex }) => vertex),
  bedrock: () => import("./bedrock/bedrock_adapter.ts").then(({ bedrock }) => bedrock),
  mistral: () => import("./mistral/mistral_adapter.ts").then(({ mistral }) => mistral),
  cohere: () => import("./cohere/cohere_adapter.ts").then(({ cohere }) => cohere),
  ollama: () => import("./ollama/ollama_adapter.ts").then(({ ollama }) => ollama),
  groq: () => import("./openai_compatible/vendors/groq.ts").then(({ groq }) => groq),
  deepseek: () =>
    import("./openai_compatible/vendors/deepseek.ts").then(({ deepseek }) => deepseek),
  xai: () => import("./openai_compatible/vendors/xai.ts").then(({ xai }) => xai),
  together: () =>
    import("./openai_compatible/vendors/together.ts").then(({ together }) => together),
  fireworks: () =>
    import("./openai_compatible/vendors/fireworks.ts").then(({ fireworks }) => fireworks),
  perplexity: () =>
    import("./openai_compatible/vendors/perplexity.ts").then(({ perplexity }) => perplexity),
  openrouter: () =>
    import("./openai_compatible/vendors/openrouter.ts").then(({ openrouter }) => openrouter),
  cerebras: () =>
    import("./openai_compatible/vendors/cerebras.ts").then(({ cerebras }) => cerebras),
  deepinfra: () =>
    import("./openai_compatible/vendors/deepinfra.ts").then(({ deepinfra }) => deepinfra),
  nvidia: () => import("./openai_compatible/vendors/nvidia.ts").then(({ nvidia }) => nvidia),
  huggingface: () =>
    import("./openai_compatible/vendors/huggingface.ts").then(({ huggingface }) => huggingface),
  moonshot: () =>
    import("./openai_compatible/vendors/moonshot.ts").then(({ moonshot }) => moonshot),
  zai: () => import("./openai_compatible/vendors/zai.ts").then(({ zai }) => zai),
  qwen: () => import("./openai_compatible/vendors/qwen.ts").then(({ qwen }) => qwen),
  sambanova: () =>
    import("./openai_compatible/vendors/sambanova.ts").then(({ sambanova }) => sambanova),
  novita: () => import("./openai_compatible/vendors/novita.ts").then(({ novita }) => novita),
  voyage: () => import("./openai_compatible/vendors/voyage.ts").then(({ voyage }) => voyage),
  jina: () => import("./openai_compatible/vendors/jina.ts").then(({ jina }) => jina),
  elevenlabs: () =>
    import("./elevenlabs/elevenlabs_adapter.ts").then(({ elevenlabs }) => elevenlabs),
  deepgram: () => import("./deepgram/deepgram_adapter.ts").then(({ deepgram }) => deepgram),
  vllm: () => import("./openai_compatible/vendors/vllm.ts").then(({ vllm }) => vllm),
  lmstudio: () =>
    import("./openai_compatible/vendors/lmstudio.ts").then(({ lmstudio }) => lmstudio),
  llamacpp: () =>
    import("./openai_compatible/vendors/llamacpp.ts").then(({ llamacpp }) => llamacpp),
  openai_compatible: () =>
    import("./openai_compatible/openai_compatible_adapter.ts").then(({ openaiCompatible }) =>
      openaiCompatible
    ),
  mock: () => import("./mock/mock_adapter.ts").then(({ mock }) => mock),
};

/** The names of all kinds, in the order of documents. */
export const KINDS: readonly string[] = Object.keys(LOADERS);

/** Adapters by kind, in the order of {@linkcode KINDS}. */
export type Adapters = ReadonlyMap<string, Adapter>;

let loaded: Adapters = new Map();

/** The adapters that this thread has loaded. */
export function loadedAdapters(): Adapters {
  return loaded;
}

/** Loads the adapters of kinds that exist. Returns all that this thread has loaded. */
export async function loadAdapters(kinds: Iterable<string>): Promise<Adapters> {
  const missing = new Set(kinds).difference(loaded).intersection(new Set(KINDS));
  if (missing.size === 0) return loaded;
  const found = await Promise.all(
    [...missing].map(async (kind) => [kind, await LOADERS[kind]?.()] as const),
  );
  const all = new Map<string, Adapter | undefined>(found);
  // Another call may have loaded some in the meantime.
  loaded = new Map(KINDS.flatMap((kind) => {
    const adapter = all.get(kind) ?? loaded.get(kind);
    return adapter === undefined ? [] : [[kind, adapter] as const];
  }));
  return loaded;
}

const NAMES = new RegExp(`(?<![\\w-])(?:${KINDS.join("|")})(?![\\w-])`, "g");

/** The kinds that the text of a config.yaml may use: those that occur in it as words. */
export function kindsIn(text: string): ReadonlySet<string> {
  return new Set(text.match(NAMES));
}

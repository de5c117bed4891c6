/** The vendors that the emulator supports, and the parts that it does not support. */

/** A vendor of the emulator. */
export interface Emulation {
  readonly provider: Readonly<Record<string, unknown>>;
  readonly model: string;
  /** The other members of the model's entry. */
  readonly entry?: Readonly<Record<string, unknown>>;
  /** The prefix of the vendor's paths. */
  readonly base: string;
  /** The start of the vendor's path. */
  readonly path: string;
  /** A usage of 11 and 7 tokens in the vendor's format. */
  readonly usage: Readonly<Record<string, number>>;
  /** Unsupported parts of the vendor's format, by the case that shows them. */
  readonly lacks?: Readonly<Partial<Record<Lack, string>>>;
}

export type Lack = "usage" | "a tool's result" | "reasoning" | "a length" | "an error's words";

const IN_OPENAIS_WORDS = { prompt_tokens: 11, completion_tokens: 7 };
const IN_CLAUDES_WORDS = { input_tokens: 11, output_tokens: 7 };
const IN_GOOGLES_WORDS = { promptTokenCount: 11, candidatesTokenCount: 7, totalTokenCount: 18 };

export const EMULATIONS: Readonly<Record<string, Emulation>> = {
  openai: {
    provider: { kind: "openai" },
    model: "gpt-4.1",
    base: "/v1",
    path: "/v1/chat/completions",
    usage: IN_OPENAIS_WORDS,
  },
  "openai responses": {
    provider: { kind: "openai" },
    model: "gpt-5.5",
    entry: { api: "responses" },
    base: "/v1",
    path: "/v1/responses",
    usage: IN_CLAUDES_WORDS,
  },
  azure: {
    provider: { kind: "azure", api_version: "2024-10-21", deployments: { "gpt-4.1": "our-gpt" } },
    model: "gpt-4.1",
    base: "",
    path: "/openai/deployments/our-gpt/chat/completions?api-version=2024-10-21",
    usage: IN_OPENAIS_WORDS,
  },
  "azure v1": {
    provider: { kind: "azure" },
    model: "gpt-4.1",
    base: "/openai/v1",
    path: "/openai/v1/chat/completions",
    usage: IN_OPENAIS_WORDS,
  },
  anthropic: {
    provider: { kind: "anthropic" },
    model: "claude-haiku-4-5",
    base: "/v1",
    path: "/v1/messages",
    usage: IN_CLAUDES_WORDS,
  },
  bedrock: {
    provider: { kind: "bedrock", region: "us-east-1" },
    model: "us.anthropic.claude-haiku-4-5-20251001-v1:0",
    base: "",
    path: "/model/us.anthropic.claude-haiku-4-5-20251001-v1%3A0/converse",
    usage: IN_CLAUDES_WORDS,
    lacks: {
      "an error's words": "its errors have the shape of Claude's own API",
    },
  },
  gemini: {
    provider: { kind: "gemini" },
    model: "gemini-3.5-flash",
    base: "/v1beta",
    path: "/v1beta/models/gemini-3.5-flash:",
    usage: IN_GOOGLES_WORDS,
  },
  vertex: {
    provider: { kind: "vertex", project: "p", location: "global" },
    model: "gemini-3.8-flash",
    base: "/v1",
    path: "/v1/projects/p/locations/global/publishers/google/models/gemini-3.8-flash:",
    usage: IN_GOOGLES_WORDS,
  },
  cohere: {
    provider: { kind: "cohere" },
    model: "command-a-03-2025",
    base: "/v2",
    path: "/v2/chat",
    usage: IN_CLAUDES_WORDS,
    lacks: {
      reasoning: "its reasoning is a block of text, Cohere's is of type thinking",
    },
  },
  ollama: {
    provider: { kind: "ollama" },
    model: "qwen3:8b",
    base: "/api",
    path: "/api/chat",
    usage: { prompt_eval_count: 11, eval_count: 7 },
    lacks: {
      usage: "it counts no tokens",
      "a tool's result": "it matches results by an id, and Ollama's have none",
      reasoning: "it says reasoning_content where Ollama says thinking",
      "a length": "its done_reason is always stop",
    },
  },
};

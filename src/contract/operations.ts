/** The operations that vendors implement; types, settings and tables are derived from this list. */

import type { EmbeddingsApi } from "./embeddings.ts";
import type { Capability } from "./model_facts.ts";
import type { ImageApi, SpeechApi, TranscriptionApi } from "./media.ts";
import type { ModerationApi, RerankApi } from "./rerank.ts";

/** A vendor's APIs of the operations besides chat; absent: unsupported. */
export interface OperationApis {
  readonly embeddings?: EmbeddingsApi;
  readonly images?: ImageApi;
  readonly moderations?: ModerationApi;
  readonly speech?: SpeechApi;
  readonly transcriptions?: TranscriptionApi;
  readonly rerank?: RerankApi;
}

/**
 * The operations other than chat, by the adapter member that implements them, with the capability
 * of models that support only this operation, the name of such models in messages, and the
 * description of the setting.
 */
export const OTHER_OPERATIONS = {
  embeddings: {
    capability: "embeddings",
    noun: "an embedding model",
    setting: "Whether the model is an embedding model, which does not support chat",
  },
  images: {
    capability: "images",
    noun: "an image model",
    setting: "Whether the model only generates images and does not support chat",
  },
  moderations: {
    capability: "moderation",
    noun: "a moderation model",
    setting: "Whether the model is a moderation model, which does not support chat",
  },
  speech: {
    capability: "speech",
    noun: "a speech model",
    setting: "Whether the model synthesizes speech and does not support chat",
  },
  transcriptions: {
    capability: "transcription",
    noun: "a transcription model",
    setting: "Whether the model transcribes audio and does not support chat",
  },
  rerank: {
    capability: "rerank",
    noun: "a reranking model",
    setting: "Whether the model is a reranking model, which does not support chat",
  },
} as const satisfies Readonly<
  Record<keyof OperationApis, OperationModels & { readonly setting: string }>
>;

/** The operations besides chat. */
export type OtherOperation = keyof typeof OTHER_OPERATIONS;

/** The operations that a target can support. */
export type OperationName = "chat" | OtherOperation;

/** The capability of models that support only an operation other than chat. */
export type OtherCapability = (typeof OTHER_OPERATIONS)[OtherOperation]["capability"];

/** Describes models that support only this operation. */
export interface OperationModels {
  readonly capability: Capability;
  /** The name of such a model in messages. */
  readonly noun: string;
}

/** The capabilities of models that do not chat, with the descriptions of their settings. */
export const OTHER_CAPABILITIES: ReadonlyMap<OtherCapability, string> = new Map(
  Object.values(OTHER_OPERATIONS).map(({ capability, setting }) => [capability, setting]),
);

/** Whether a kind of provider supports an operation. */
export function hasOperation(
  adapter: { readonly chats?: false; readonly apis: OperationApis },
  name: OperationName,
): boolean {
  return name === "chat" ? adapter.chats !== false : adapter.apis[name] !== undefined;
}

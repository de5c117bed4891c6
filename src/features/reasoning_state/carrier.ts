/**
 * Reasoning state in tool call IDs. All clients return these IDs, but many drop the message members
 * that contain a vendor's reasoning. docs/features/reasoning_state.md describes the mechanism.
 */

import { Buffer } from "node:buffer";
import type { ChatRequest, CompletionBody } from "../../contract/chat.ts";
import type { CallerRequest, ChatFeature, TargetCall } from "../../gateway/feature.ts";
import type { ReasoningStateSettings } from "../../config/reasoning_state.ts";
import type { StreamDecoder } from "../../contract/stream_decoder.ts";
import { CallIdWriter, callKeys, countTurns, WITHOUT_IDS } from "./call_id_writer.ts";
import { type Conversation, readConversation, restoreState } from "./incoming.ts";
import { carryInCompletion, CarryingDecoder } from "./outgoing.ts";
import { KEY_BYTES, Sealer } from "./packing.ts";
import type { StateStore } from "../../memory/store.ts";
import { UniqueIds, withSharedIds } from "./vendor_ids.ts";
import { createHmac, hkdfSync, timingSafeEqual } from "node:crypto";

/** The sources of the secrets for a provider's IDs. */
export interface BindingSecrets {
  /** `server.reasoning_state.key`, if it is set. */
  readonly configured: Uint8Array | undefined;
  /**
   * The provider's API keys. IDs are valid only for their account, and callers do not know the
   * keys.
   */
  readonly vendorKeys: readonly string[];
  /** This process's random key. */
  readonly process: Uint8Array;
}

/** The dependencies of a {@linkcode StateCarrier}. */
export interface CarrierOptions {
  /** This process's key: 32 bytes. */
  readonly key: Uint8Array;
  readonly store: StateStore;
  readonly randomBytes: (length: number) => Uint8Array;
}

/** The number of random bytes in a reference, which has 16 characters. */
const REFERENCE_BYTES = 12;

/**
 * Puts reasoning state into tool call IDs, and restores it from them. There is one instance per
 * thread.
 */
export class StateCarrier {
  readonly #options: CarrierOptions;
  /** Keyed by the secret key, since a reload of the configuration may change it. */
  readonly #sealers = new WeakMap<Uint8Array, Sealer>();

  /**
   * Keyed by a provider's list of API keys, since a reload of the configuration creates a new list.
   */
  readonly #bindings = new WeakMap<readonly string[], IdBinding>();

  constructor(options: CarrierOptions) {
    this.#options = options;
  }

  /**
   * The binding of a provider's IDs to the callers who may use them.
   *
   * @param vendorKeys the provider's API keys
   */
  bindingOf(
    vendorKeys: readonly string[],
    { key }: Pick<ReasoningStateSettings, "key">,
  ): IdBinding {
    let binding = this.#bindings.get(vendorKeys);
    if (binding === undefined) {
      binding = createBinding({ configured: key, vendorKeys, process: this.#options.key });
      this.#bindings.set(vendorKeys, binding);
    }
    return binding;
  }

  /**
   * Reads a caller's request, synchronously if no ID in it carries state.
   *
   * @param caller the owner of the service key, and the caller's format
   * @param maxBytes the maximum number of bytes that the state may add to the request
   */
  read(
    request: ChatRequest,
    caller: Pick<CallerRequest, "api" | "owner">,
    settings: ReasoningStateSettings,
    maxBytes: number,
  ): RequestReasoning | Promise<RequestReasoning> {
    const { api: { format }, owner } = caller;
    const hasIds = !WITHOUT_IDS.has(format);
    const { store } = this.#options;
    const sealer = this.#sealerOf(settings.key ?? this.#options.key);
    const createWriter: CreateWriter = (provider) => {
      const { enabled: carries, maxIdLength: maxLength } = settings;
      const newReference = () => this.#newReference();
      // Chat clients also match results by message, and may compare IDs with the vendor's.
      const ids = new UniqueIds(format === "chat_completions" ? undefined : request);
      const turn = hasIds || !carries ? undefined : countTurns(request.messages);
      const written = { carries, ids, owner, provider, maxLength, turn };
      return new CallIdWriter({ ...written, sealer, store, newReference });
    };
    const own = withSharedIds(request);
    const keys = hasIds ? undefined : callKeys(own.messages);
    const conversation = readConversation(own, { owner, sealer, store, maxBytes, keys });
    return conversation instanceof Promise
      ? conversation.then((read) => new RequestReasoning(read, createWriter))
      : new RequestReasoning(conversation, createWriter);
  }

  #sealerOf(key: Uint8Array): Sealer {
    let sealer = this.#sealers.get(key);
    if (sealer === undefined) {
      sealer = new Sealer(key, this.#options.randomBytes);
      this.#sealers.set(key, sealer);
    }
    return sealer;
  }

  #newReference(): string {
    return Buffer.from(this.#options.randomBytes(REFERENCE_BYTES)).toString("base64url");
  }
}

/** Creates the writer for the IDs in a provider's answer. */
type CreateWriter = (provider: string) => CallIdWriter;

/** The reasoning state for one request and its answer. */
class RequestReasoning implements ChatFeature {
  readonly #conversation: Conversation;
  readonly #createWriter: CreateWriter;

  constructor(conversation: Conversation, createWriter: CreateWriter) {
    this.#conversation = conversation;
    this.#createWriter = createWriter;
  }

  /** The request with the vendors' own IDs, and without state. */
  get request(): ChatRequest {
    return this.#conversation.request;
  }

  /** A call for {@linkcode request} with the state that its target's adapter sends back. */
  call(target: TargetCall): TargetCall {
    const { adapter, call } = target;
    const request = restoreState(this.#conversation, call, adapter.reasoningState ?? []);
    return request === call.request ? target : { adapter, call: { ...call, request } };
  }

  /** The answer to a call, with its state in its tool call IDs. */
  completion(body: CompletionBody, { adapter, call }: TargetCall): CompletionBody {
    const writer = this.#createWriter(call.provider.id);
    return carryInCompletion(body, adapter.reasoningState ?? [], writer);
  }

  /** The decoder for a call's stream, with the state in its tool call IDs. */
  decoder(decoder: StreamDecoder, { adapter, call }: TargetCall): StreamDecoder {
    const { tools, functions } = call.request;
    if (tools === undefined && functions === undefined) return decoder;
    const writer = this.#createWriter(call.provider.id);
    return new CarryingDecoder(decoder, adapter.reasoningState ?? [], writer);
  }
}

/** The number of bytes in a tag; 96 bits cannot be guessed over a network. */
const TAG_BYTES = 12;

/** Shorter vendor keys, such as placeholders for local servers, could be guessed. */
const MIN_SECRET_LENGTH = 16;

/**
 * Creates and verifies the tags of IDs. A tag is valid for one owner, provider and ID. Exported for
 * tests.
 */
export class IdBinding {
  /** The first secret creates tags; all of them verify tags. */
  readonly #keys: readonly Uint8Array[];

  /** @param secrets one or more; the first one creates tags */
  constructor(secrets: readonly (string | Uint8Array)[]) {
    this.#keys = secrets.map((secret) =>
      new Uint8Array(hkdfSync("sha256", secret, "", "sluice vendor ids", KEY_BYTES))
    );
  }

  /** @param path the values to which the ID is bound, and the ID */
  tag(path: readonly string[]): string {
    const [first] = this.#keys;
    return first === undefined ? "" : tagOf(first, path).toString("base64url");
  }

  /** Whether one of the secrets created this tag for the same path. */
  verify(path: readonly string[], tag: string): boolean {
    const given = Buffer.from(tag, "base64url");
    // Each tag has exactly one valid encoding.
    if (given.length !== TAG_BYTES || given.toString("base64url") !== tag) return false;
    return this.#keys.some((key) => timingSafeEqual(tagOf(key, path), given));
  }
}

function tagOf(key: Uint8Array, path: readonly string[]): Buffer {
  const digest = createHmac("sha256", key).update(JSON.stringify(path)).digest();
  return digest.subarray(0, TAG_BYTES);
}

/**
 * The binding of a provider's IDs. It uses the configured key, or otherwise the provider's first
 * API key, which are both the same after a restart and in every replica. Without either, it uses
 * the key of the process.
 */
function createBinding({ configured, vendorKeys, process }: BindingSecrets): IdBinding {
  const long = vendorKeys.filter((key) => key.length >= MIN_SECRET_LENGTH);
  return new IdBinding([...(configured === undefined ? [] : [configured]), ...long, process]);
}

/**
 * Restores vendor IDs and state in requests: replaces tool-call IDs by the vendors' own, and puts
 * the state that they carry back into the messages.
 */

import type { AssistantTurn, ChatRequest, JsonObject, Message } from "../../contract/chat.ts";
import { TimeSlice } from "../../core/clock.ts";
import type { ReasoningMember } from "../../contract/adapter.ts";
import { bindingOf } from "./call_id_writer.ts";
import { type CallId, isMarked, parseCallId } from "../../apis/chat/call_ids.ts";
import { type ReasoningState, type Sealer, unpack } from "./packing.ts";
import type { StateStore } from "../../memory/store.ts";
import { withCallIds } from "./vendor_ids.ts";
import type { Call } from "../../contract/vendor_request.ts";

/** The dependencies for reading a conversation. */
export interface ReadOptions {
  /** The name of the caller's service key. */
  readonly owner: string;
  readonly sealer: Sealer;
  readonly store: StateStore;
  /** The maximum number of bytes that the state may add to the request. */
  readonly maxBytes: number;
  /** The store keys for the state of calls without client IDs, by the IDs assigned here. */
  readonly keys?: ReadonlyMap<string, string> | undefined;
}

/** The maximum length of a payload to decrypt, in characters. */
const MAX_PAYLOAD_LENGTH = 32 * 1024;

/**
 * The maximum number of unreadable IDs in a request. After that, older sealed IDs are not
 * decrypted, since a failed attempt takes 0.2 ms.
 */
const MAX_UNREADABLE = 64;

/** The length of a reference to stored state, in characters. */
const REFERENCE_LENGTH = 16;

/** Why state is missing: it expired or was evicted, or the ID cannot be read. */
type Loss = readonly ["memory", "gone"] | readonly ["id", "unreadable"];

const EVICTED: Loss = ["memory", "gone"];
const UNREADABLE: Loss = ["id", "unreadable"];

/** One assistant message's state, by the position of the tool call that carried it. */
type MessageStates = ReadonlyMap<number, ReasoningState>;

/** A conversation with the vendors' own IDs, and the state found in the callers' IDs. */
export interface Conversation {
  readonly request: ChatRequest;
  /** Keyed by message index. */
  readonly states: ReadonlyMap<number, MessageStates>;
  readonly losses: ReadonlySet<Loss>;
}

const NO_STATES: Conversation["states"] = new Map();
const NO_KEYS: ReadonlyMap<string, string> = new Map();
const NO_IDS: ReadonlyMap<string, CallId> = new Map();
const NO_LOSSES: Conversation["losses"] = new Set();

/**
 * Reads the IDs of a conversation, synchronously if none carries state. Each state is counted once,
 * for the last message that contains it.
 */
export function readConversation(
  request: ChatRequest,
  options: ReadOptions,
): Conversation | Promise<Conversation> {
  const { keys = NO_KEYS } = options;
  const ids = idsOf(request.messages) ?? (keys.size > 0 ? NO_IDS : undefined);
  return ids === undefined
    ? { request, states: NO_STATES, losses: NO_LOSSES }
    : readStates(request, ids, options);
}

async function readStates(
  request: ChatRequest,
  ids: ReadonlyMap<string, CallId>,
  options: ReadOptions,
): Promise<Conversation> {
  const states = new Map<number, Map<number, ReasoningState>>();
  const losses = new Set<Loss>();
  const { keys = NO_KEYS } = options;
  const stored = await readStored(ids, options);
  const slice = new TimeSlice();
  let room = options.maxBytes;
  let unreadable = 0;
  const used = new Set<string>();
  for (const [index, message] of [...request.messages.entries()].reverse()) {
    if (message.role !== "assistant") continue;
    for (const [position, { id }] of (message.tool_calls ?? []).entries()) {
      if (slice.isOver) await slice.next();
      const key = keys.get(id);
      const remembered = key === undefined ? undefined : stored.get(key);
      const kept = remembered && unpack(remembered, room);
      if (kept !== undefined) {
        room -= kept.length;
        const ofMessage = states.get(index) ?? new Map<number, ReasoningState>();
        states.set(index, ofMessage.set(position, kept.state));
        continue;
      }
      const parsed = ids.get(id);
      if (parsed === undefined || parsed.kind === "none" || used.has(id)) continue;
      used.add(id);
      const bytes = parsed.kind === "stored"
        ? stored.get(id)
        : unreadable < MAX_UNREADABLE
        ? open(parsed, options)
        : undefined;
      const found = bytes === undefined ? undefined : unpack(bytes, room);
      if (found === undefined) {
        unreadable++;
        if (!returnsState(message)) losses.add(lossOf(parsed));
        continue;
      }
      room -= found.length;
      const ofMessage = states.get(index) ?? new Map<number, ReasoningState>();
      states.set(index, ofMessage.set(position, found.state));
    }
  }
  const originals = new Map([...ids].map(([id, { original }]) => [id, original]));
  return { request: withCallIds(request, originals), states, losses };
}

/**
 * A call's request with the state in its messages, as if the client had returned it. Entries of
 * `reasoning_details` have a format name, by which each adapter selects its vendor's entries. Other
 * state is sent only to the provider that returned it.
 *
 * @param members the members that the target's adapter sends back to the vendor
 */
export function restoreState(
  { states, losses }: Conversation,
  { request, provider, changes }: Pick<Call, "request" | "provider" | "changes">,
  members: readonly ReasoningMember[],
): ChatRequest {
  for (const [from, to] of losses) changes.convert("messages.reasoning_state", from, to);
  if (states.size === 0 || members.length === 0) return request;
  const sentBack = new Set(members);
  const messages = request.messages.map((message, index) => {
    const found = states.get(index);
    return found === undefined || message.role !== "assistant"
      ? message
      : withState(message, found, provider.id, sentBack);
  });
  return { ...request, messages };
}

/** A conversation's parsed IDs that contain the separator. */
/** The IDs that carry state; undefined if there are none. */
function idsOf(messages: readonly Message[]): Map<string, CallId> | undefined {
  let ids: Map<string, CallId> | undefined;
  const add = (id: string) => {
    if (!isMarked(id) || ids?.has(id)) return;
    const parsed = parseCallId(id);
    if (parsed !== undefined) (ids ??= new Map()).set(id, parsed);
  };
  for (const message of messages) {
    if (message.role === "tool") add(message.tool_call_id);
    else if (message.role === "assistant") {
      for (const { id } of message.tool_calls ?? []) add(id);
    }
  }
  return ids;
}

function readStored(
  ids: ReadonlyMap<string, CallId>,
  { owner, store, keys = NO_KEYS }: ReadOptions,
): Promise<ReadonlyMap<string, Uint8Array>> {
  const stored = [...ids].filter(([id, { kind, payload }]) =>
    kind === "stored" && payload.length === REFERENCE_LENGTH && id.length <= MAX_PAYLOAD_LENGTH
  );
  return store.get(owner, [...stored.map(([id]) => id), ...keys.values()]);
}

function open({ kind, head, payload }: CallId, options: ReadOptions): Uint8Array | undefined {
  if (kind !== "sealed" || payload.length > MAX_PAYLOAD_LENGTH) return undefined;
  return options.sealer.open(payload, bindingOf(head, options.owner));
}

function lossOf({ kind }: CallId): Loss {
  return kind === "stored" ? EVICTED : UNREADABLE;
}

/** Whether the client itself returned reasoning state in a message. */
function returnsState(message: AssistantTurn): boolean {
  const { reasoning_content, reasoning, reasoning_details, tool_calls = [] } = message;
  return [reasoning_content, reasoning, reasoning_details].some((member) => member != null) ||
    tool_calls?.some(({ extra_content }) => extra_content != null) === true;
}

function withState(
  message: AssistantTurn,
  states: MessageStates,
  provider: string,
  sentBack: ReadonlySet<ReasoningMember>,
): AssistantTurn {
  const inOrder = [...states].sort(([one], [other]) => one - other);
  const details = inOrder.flatMap(([, state]) => state.reasoning_details ?? []);
  const own = inOrder.filter(([, state]) => state.provider === provider);
  const text = own.map(([, state]) => state.reasoning_content ?? "").join("");
  const restored: JsonObject = { ...message };
  if (
    sentBack.has("reasoning_details") && details.length > 0 && isNothing(message.reasoning_details)
  ) {
    restored.reasoning_details = details;
  }
  if (sentBack.has("reasoning_content") && isPartOf(message, text)) {
    restored.reasoning_content = text;
  }
  if (sentBack.has("extra_content")) {
    const contents = new Map(own.map(([position, state]) => [position, state.extra_content]));
    restored.tool_calls = message.tool_calls?.map((call, position) => {
      const content = contents.get(position);
      return content === undefined || call.extra_content != null
        ? call
        : { ...call, extra_content: content };
    });
  }
  return restored as AssistantTurn;
}

function isNothing(details: unknown): boolean {
  return !Array.isArray(details) || details.length === 0;
}

/**
 * Whether the message's reasoning is only part of this text. Clients that assemble streams may keep
 * only the last piece of an unknown member.
 */
function isPartOf({ reasoning_content, reasoning }: AssistantTurn, text: string): boolean {
  const returned = reasoning_content ?? reasoning;
  return text !== "" && (typeof returned !== "string" || text.includes(returned));
}

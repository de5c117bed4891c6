/** Writes unique tool-call IDs with reasoning state into answers and streams. */

import type {
  AnswerToolCall,
  Choice,
  ChunkBody,
  ChunkChoice,
  CompletionBody,
  Delta,
  ToolCallDelta,
  Usage,
} from "../../contract/chat.ts";
import type { Frame, Step, StreamDecoder } from "../../contract/stream_decoder.ts";
import type { ReasoningMember } from "../../contract/adapter.ts";
import type { CallIdWriter } from "./call_id_writer.ts";
import { MAX_STATE_LENGTH, type ReasoningState } from "./packing.ts";

/** The state of an answer's message, or of a part of it. */
type State = Omit<ReasoningState, "provider">;

/** The members of past messages that an adapter sends back to the vendor. */
type SentBackMembers = ReadonlySet<ReasoningMember>;

/**
 * The answer with its state in its tool call IDs. The first call carries the message's state.
 *
 * @param members the members that the adapter sends back to the vendor
 */
export function carryInCompletion(
  body: CompletionBody,
  members: readonly ReasoningMember[],
  writer: CallIdWriter,
): CompletionBody {
  const sentBack = new Set(writer.carries ? members : []);
  if (!body.choices.some(({ message }) => message.tool_calls?.length)) return body;
  return { ...body, choices: body.choices.map((choice) => withIds(choice, sentBack, writer)) };
}

function withIds(choice: Choice, sentBack: SentBackMembers, writer: CallIdWriter): Choice {
  const { message } = choice;
  const { tool_calls, reasoning_content, reasoning_details } = message;
  if (tool_calls === undefined) return choice;
  const ofMessage: State = {
    ...(sentBack.has("reasoning_content") && reasoning_content && { reasoning_content }),
    ...(sentBack.has("reasoning_details") && reasoning_details?.length && { reasoning_details }),
  };
  const calls = tool_calls.map((call, at): AnswerToolCall => {
    const state = { ...(at === 0 && ofMessage), ...stateOfCall(call, sentBack) };
    if (writer.remembers && call.type === "function") {
      const { name, arguments: input } = call.function;
      writer.remember({ name, input, index: at }, state);
    }
    return { ...call, id: writer.write(call.id, state, choice.index) };
  });
  return { ...choice, message: { ...message, tool_calls: calls } };
}

function stateOfCall(call: AnswerToolCall | ToolCallDelta, sentBack: SentBackMembers): State {
  const { extra_content } = call;
  return sentBack.has("extra_content") && extra_content != null ? { extra_content } : {};
}

interface GrowingState {
  readonly id: string;
  /** Its call's state. */
  readonly ofCall: State;
  /** The offsets of the message's state. */
  readonly text: number;
  readonly details: number;
}

/** The reasoning of one choice in a stream, and how much of it is already in IDs. */
interface ChoiceState {
  text: string;
  textCarried: number;
  detailsCarried: number;
  /** The ID whose stored state may grow until the end. */
  growing: GrowingState | undefined;
  /** The calls that clients may return without IDs, by index. */
  remembered: Map<number, { name: string; input: string; state: State }> | undefined;
}

/**
 * The decoder for a stream with the state in its tool call IDs. Each ID carries the state that
 * arrived since the previous ID. If more may follow, the state goes to the store and is completed
 * there at the end.
 */
export class CarryingDecoder implements StreamDecoder {
  readonly #decoder: StreamDecoder;
  readonly #sentBack: SentBackMembers;
  readonly #writer: CallIdWriter;
  readonly #choices = new Map<number, ChoiceState>();
  /** The state in the ID that was written last. */
  #lastState: State = {};

  /** @param members the members that the adapter sends back to the vendor */
  constructor(
    decoder: StreamDecoder,
    members: readonly ReasoningMember[],
    writer: CallIdWriter,
  ) {
    this.#decoder = decoder;
    this.#sentBack = new Set(writer.carries ? members : []);
    this.#writer = writer;
  }

  get usage(): Usage | undefined {
    return this.#decoder.usage;
  }

  push(frame: Frame): Step {
    return this.#carry(this.#decoder.push(frame));
  }

  end(): Step {
    return this.#carry(this.#decoder.end());
  }

  detailsOf(choice: number): readonly unknown[] {
    return this.#decoder.detailsOf?.(choice) ?? [];
  }

  #carry(step: Step): Step {
    if (!step.chunks.some(({ choices }) => choices.some((choice) => this.#needsIds(choice)))) {
      return step;
    }
    const chunks = step.chunks.map((chunk): ChunkBody => ({
      ...chunk,
      choices: chunk.choices.map((choice) => this.#onChoice(choice)),
    }));
    // The template cache would bypass this decoder for events like this one.
    const isText = chunks.some(({ choices }) =>
      choices.some(({ delta }) => this.#hasReasoning(delta))
    );
    return isText ? { ...step, chunks, plain: undefined } : { ...step, chunks };
  }

  #needsIds({ delta, finish_reason }: ChunkChoice): boolean {
    return this.#hasReasoning(delta) || delta.tool_calls !== undefined || finish_reason != null;
  }

  #hasReasoning({ reasoning_content }: Delta): boolean {
    return reasoning_content !== undefined && this.#sentBack.has("reasoning_content");
  }

  #onChoice(choice: ChunkChoice): ChunkChoice {
    const { index, delta, finish_reason } = choice;
    const state = this.#stateOf(index);
    if (this.#hasReasoning(delta) && state.text.length <= MAX_STATE_LENGTH) {
      state.text += delta.reasoning_content;
    }
    const calls = delta.tool_calls?.map((piece): ToolCallDelta => {
      if (piece.id === undefined) return piece;
      const id = this.#idOf(piece.id, piece, index, state);
      if (this.#writer.remembers) {
        state.remembered ??= new Map();
        state.remembered.set(piece.index, { name: "", input: "", state: this.#lastState });
      }
      return { ...piece, id };
    });
    if (this.#writer.remembers) this.#remember(state, delta, finish_reason != null);
    if (finish_reason != null) this.#finish(state, this.#detailsOf(index, delta));
    return calls === undefined ? choice : { ...choice, delta: { ...delta, tool_calls: calls } };
  }

  #idOf(id: string, piece: ToolCallDelta, index: number, choice: ChoiceState): string {
    const ofCall = stateOfCall(piece, this.#sentBack);
    this.#lastState = ofCall;
    if (choice.growing !== undefined) return this.#writer.write(id, ofCall, index);
    const details = this.#detailsOf(index);
    const { textCarried, detailsCarried } = choice;
    const ofMessage = restOf(choice, details);
    const state = { ...ofMessage, ...ofCall };
    this.#lastState = state;
    choice.textCarried = choice.text.length;
    choice.detailsCarried = details.length;
    const mayGrow = this.#decoder.detailsMayGrow === true && Object.keys(ofMessage).length > 0;
    const stored = mayGrow ? this.#writer.store(id, state) : undefined;
    if (stored === undefined) return this.#writer.write(id, mayGrow ? {} : state, index);
    choice.growing = { id: stored, ofCall, text: textCarried, details: detailsCarried };
    return stored;
  }

  /** Adds the pieces of calls, and stores their state once they are complete. */
  #remember({ remembered }: ChoiceState, { tool_calls = [] }: Delta, isLast: boolean): void {
    if (remembered === undefined) return;
    for (const { index, function: piece } of tool_calls) {
      const call = remembered.get(index);
      if (call === undefined) continue;
      call.name += piece?.name ?? "";
      call.input += piece?.arguments ?? "";
    }
    if (!isLast) return;
    for (const [index, { name, input, state }] of remembered) {
      this.#writer.remember({ name, input, index }, state);
    }
    remembered.clear();
  }

  /** Stores the state that arrived after the ID was sent. */
  #finish(choice: ChoiceState, details: readonly unknown[]): void {
    const { growing } = choice;
    if (growing === undefined) return;
    choice.growing = undefined;
    const from = { ...choice, textCarried: growing.text, detailsCarried: growing.details };
    this.#writer.update(growing.id, { ...restOf(from, details), ...growing.ofCall });
  }

  #detailsOf(index: number, delta?: Delta): readonly unknown[] {
    if (!this.#sentBack.has("reasoning_details")) return [];
    return delta?.reasoning_details ?? this.#decoder.detailsOf?.(index) ?? [];
  }

  #stateOf(index: number): ChoiceState {
    let state = this.#choices.get(index);
    if (state === undefined) {
      state = {
        text: "",
        textCarried: 0,
        detailsCarried: 0,
        growing: undefined,
        remembered: undefined,
      };
      this.#choices.set(index, state);
    }
    return state;
  }
}

/** The state that no ID carries yet. */
function restOf(
  { text, textCarried, detailsCarried }: ChoiceState,
  details: readonly unknown[],
): State {
  const reasoning_content = text.slice(textCarried);
  const reasoning_details = details.slice(detailsCarried);
  return {
    ...(reasoning_content !== "" && { reasoning_content }),
    ...(reasoning_details.length > 0 && { reasoning_details }),
  };
}

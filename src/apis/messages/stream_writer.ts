/**
 * Writes the events of a message: one block is open at a time, and indices are consecutive.
 *
 * Events: https://platform.claude.com/docs/en/build-with-claude/streaming (2026-11-20).
 */

import { isText } from "../../core/json/values.ts";
import { JsonScanner } from "../../core/json/scan.ts";
import type {
  ChunkBody,
  ChunkChoice,
  Delta,
  FinishReason,
  JsonObject,
  ToolCallDelta,
  Usage,
} from "../../contract/chat.ts";
import {
  type AnswerSummary,
  type Envelope,
  PendingDetails,
  type StreamWriter,
} from "../chat/caller_format.ts";
import { tokensOfChars } from "../chat/token_estimate.ts";
import { isMarked } from "../chat/call_ids.ts";
import {
  idOf,
  matchedStop,
  modelOf,
  searchUsage,
  toFinalUsage,
  toFirstUsage,
  toSignature,
  toStop,
  type WriteOptions,
} from "./answer_parts.ts";
import { toCitations, toSearchBlocks } from "./web_search.ts";
import { extraOf } from "./write_message.ts";

/** A block that is open or waits to be opened. */
type Block = { readonly type: "text" | "thinking"; held: string } | CallBlock;

interface CallBlock {
  readonly type: "tool_use";
  readonly id: string;
  readonly name: string;
  readonly scanner: JsonScanner;
  /** The pieces of a waiting call; undefined once the call is open. */
  held: string | undefined;
}

/** A message whose last block is incomplete text. */
export interface BegunMessage {
  /** The index of the block. */
  readonly index: number;
  /** The length of its text in UTF-16 units. */
  readonly length: number;
}

/** Writes chunks as the events of one message. */
export class MessageWriter implements StreamWriter {
  started = false;
  usage: Usage | undefined;
  serviceTier: string | undefined;
  /** Whether the next event of the same form may be written from a template. */
  isRepeatable = true;
  readonly details = new PendingDetails();
  readonly #envelope: Envelope;
  readonly #options: WriteOptions;
  #begun = false;
  #id = "";
  #model = "";
  /** The open block. */
  #block: Block | undefined;
  /** Blocks that wait for the open call to be complete. */
  #waiting: Block[] = [];
  /** The calls by the vendor's index. */
  readonly #calls = new Map<number, CallBlock>();
  /** The index of the open block, or of the next one. */
  #index = 0;
  #outputChars = 0;
  #finish: FinishReason | undefined;
  #refused = false;
  #matched: string | undefined;
  #searches = 0;
  /** The text so far, if citations may refer to it. */
  #text = "";

  /** @param begun the part that another writer has written, to continue a message */
  constructor(envelope: Envelope, options: WriteOptions, begun?: BegunMessage) {
    this.#envelope = envelope;
    this.#options = options;
    if (begun === undefined) return;
    this.#begun = true;
    this.#id = envelope.id;
    this.#model = envelope.model;
    this.#block = { type: "text", held: "" };
    this.#index = begun.index;
    this.#outputChars = begun.length;
  }

  get complete(): boolean {
    return this.#finish !== undefined;
  }

  get summary(): AnswerSummary {
    const { id, model } = this.#envelope;
    return {
      id: this.#begun ? this.#id : id,
      model: this.#begun ? this.#model : model,
      finishReasons: this.#finish === undefined ? [] : [this.#finish],
    };
  }

  write(chunk: ChunkBody): string {
    this.isRepeatable = false;
    if (chunk.usage) this.usage = chunk.usage;
    if (isText(chunk.service_tier)) this.serviceTier = chunk.service_tier;
    let text = "";
    for (const choice of chunk.choices) {
      // The format has only one choice.
      if (choice.index !== 0) continue;
      if (!this.#begun) text += this.#begin(chunk);
      const news = this.#writeDelta(choice.delta);
      this.#noteEnd(choice);
      if (this.#omits && choice.delta.reasoning_content) this.started = true;
      if (news !== "" || this.#finish !== undefined) this.started = true;
      text += news;
    }
    return text;
  }

  end(): string {
    let text = this.#flush(true);
    const last = this.#block?.type;
    text += this.#close();
    const isCarried = [...this.#calls.values()].some(({ id }) => isMarked(id));
    // Clients treat the last block as the answer, and vendors do not need such state after text.
    const isNeeded = !this.#omits || this.#calls.size > 0;
    if (last !== "text" && !isCarried && isNeeded) text += this.#writeState();
    const { estimate } = this.#options;
    const usage = {
      ...toFinalUsage(this.usage, estimate, () => tokensOfChars(this.#outputChars)),
      ...searchUsage(this.#searches),
    };
    const delta = toStop(this.#finish ?? "stop", {
      called: this.#calls.size > 0,
      refused: this.#refused,
      matched: this.#matched,
    });
    text += event("message_delta", JSON.stringify({ type: "message_delta", delta, usage }));
    return text + event("message_stop", '{"type":"message_stop"}');
  }

  #begin({ id, model }: ChunkBody): string {
    this.#begun = true;
    this.#id = idOf(id, this.#envelope.id);
    this.#model = modelOf(model, this.#envelope.model);
    const message = {
      id: this.#id,
      type: "message",
      role: "assistant",
      model: this.#model,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: toFirstUsage(this.usage, this.#options.estimate),
    };
    return event("message_start", JSON.stringify({ type: "message_start", message }));
  }

  #writeDelta(delta: Delta): string {
    const { reasoning_content, reasoning_details, content, refusal, tool_calls } = delta;
    let text = "";
    if (reasoning_content) text += this.#think(reasoning_content);
    if (content) text += this.#say("text", content);
    if (refusal) {
      this.#refused = true;
      text += this.#say("text", refusal);
    }
    if (delta.annotations !== undefined) text += this.#cite(delta);
    if (delta.web_search_calls !== undefined) text += this.#search(delta);
    for (const call of tool_calls ?? []) text += this.#call(call);
    if (reasoning_details !== undefined) this.details.push(reasoning_details);
    return text;
  }

  #noteEnd(choice: ChunkChoice): void {
    this.#matched ??= matchedStop(choice, this.#options.stops);
    if (choice.finish_reason) this.#finish ??= choice.finish_reason;
  }

  #think(text: string): string {
    const { onOmitted } = this.#options;
    if (onOmitted === undefined) return this.#say("thinking", text);
    this.#outputChars += text.length;
    onOmitted();
    return "";
  }

  /** Whether thinking is omitted. State then has a block only if calls need it. */
  get #omits(): boolean {
    return this.#options.onOmitted !== undefined;
  }

  #say(type: "text" | "thinking", text: string): string {
    this.#outputChars += text.length;
    const { searches } = this.#options;
    if (searches && type === "text") this.#text += text;
    const shown = type === "thinking" && this.#options.omitsThinking ? "" : text;
    const open = this.#block;
    if (open?.type === type && this.#waiting.length === 0) {
      // Pieces written from a template are not added to the text, so citations are excluded.
      this.isRepeatable = !searches;
      return this.#writePiece(open, shown);
    }
    const last = this.#waiting.at(-1);
    if (last?.type === type) last.held += shown;
    else this.#waiting.push({ type, held: this.#isFirst ? shown : withoutBreak(shown) });
    return this.#flush(false);
  }

  /** Whether no block has begun. */
  get #isFirst(): boolean {
    return this.#block === undefined && this.#index === 0 && this.#waiting.length === 0;
  }

  /** The citations of the open text. */
  #cite(delta: Delta): string {
    const waiting = this.#flush(true);
    if (this.#block?.type !== "text") return waiting;
    const deltas = toCitations(delta, this.#text).map((citation) =>
      this.#delta(JSON.stringify({ type: "citations_delta", citation }))
    );
    return waiting + deltas.join("");
  }

  /** Searches and their results, as whole blocks. */
  #search(delta: Delta): string {
    let text = this.#flush(true) + this.#close() + (this.#omits ? "" : this.#writeState());
    for (const { call, result } of toSearchBlocks(delta, this.#id, this.#searches)) {
      const input = JSON.stringify(JSON.stringify(call.input));
      text += this.#startEvent({ ...call, input: {} }) +
        this.#delta(`{"type":"input_json_delta","partial_json":${input}}`) + this.#stopEvent() +
        this.#startEvent(result) + this.#stopEvent();
      this.#searches++;
    }
    return text;
  }

  #call({ index, id, function: made, custom, ...others }: ToolCallDelta): string {
    const known = this.#calls.get(index);
    const piece = made?.arguments ?? "";
    this.#outputChars += piece.length;
    if (known !== undefined) return this.#callPiece(known, piece);
    const call: CallBlock = {
      type: "tool_use",
      id: id ?? `toolu_${this.#id.replace(/^msg_/, "")}_${index}`,
      name: made?.name ?? custom?.name ?? "",
      scanner: new JsonScanner(),
      held: "",
    };
    this.#calls.set(index, call);
    const extra = isMarked(call.id) ? undefined : extraOf(others);
    const before = extra === undefined ? "" : this.#carry(call.id, extra);
    this.#waiting.push(call);
    return before + this.#flush(false) + this.#callPiece(call, piece);
  }

  /** The state of a call goes into the thinking block before it: clients keep no other member. */
  #carry(id: string, extra: JsonObject): string {
    const waiting = this.#flush(true);
    const details = this.details.take();
    const signature = toSignature({ details, calls: new Map([[id, extra]]) });
    if (this.#block?.type === "thinking") return waiting + this.#close(signature);
    return waiting + this.#close() + this.#writeThinking(signature);
  }

  #callPiece(call: CallBlock, piece: string): string {
    if (piece === "") return "";
    if (call === this.#block) {
      call.scanner.push(piece);
      const text = this.#writePiece(call, piece);
      return this.#waiting.length === 0 ? text : text + this.#flush(false);
    }
    // Only white space follows the arguments of a closed call.
    if (call.held !== undefined) call.held += piece;
    return "";
  }

  /** Opens the waiting blocks, unless the open block is not complete yet. */
  #flush(force: boolean): string {
    let text = "";
    let opened = 0;
    for (const next of this.#waiting) {
      if (!force && !this.#isClosable()) break;
      opened++;
      const held = next.held ?? "";
      if (next.type === "tool_use") {
        next.held = undefined;
        next.scanner.push(held);
      }
      text += this.#makeRoomFor(next) + this.#open(next) + this.#writePiece(next, held);
    }
    this.#waiting = this.#waiting.slice(opened);
    return text;
  }

  /** Ends the open block, and writes the state that belongs before the next one. */
  #makeRoomFor(next: Block): string {
    const last = this.#block?.type;
    if (next.type === "tool_use" && isMarked(next.id)) return this.#close(toSignature({}));
    const isSigned = next.type === "thinking" || last === "thinking" ||
      this.#omits && next.type === "text";
    return isSigned ? this.#close() : this.#close() + this.#writeState();
  }

  /** A call may still receive pieces until its arguments are complete. */
  #isClosable(): boolean {
    return this.#block?.type !== "tool_use" || this.#block.scanner.complete;
  }

  #open(block: Block): string {
    this.#block = block;
    switch (block.type) {
      case "text":
        return this.#startEvent({ type: "text", text: "" });
      case "thinking":
        return this.#startEvent(NO_THINKING);
      case "tool_use": {
        const { type, id, name } = block;
        return this.#startEvent({ type, id, name, input: {} });
      }
    }
  }

  #startEvent(content_block: JsonObject): string {
    const data = { type: "content_block_start", index: this.#index, content_block };
    return event("content_block_start", JSON.stringify(data));
  }

  #writePiece({ type }: Block, piece: string): string {
    if (piece === "") return "";
    const text = JSON.stringify(piece);
    switch (type) {
      case "text":
        return this.#delta(`{"type":"text_delta","text":${text}}`);
      case "thinking":
        return this.#delta(`{"type":"thinking_delta","thinking":${text}}`);
      case "tool_use":
        return this.#delta(`{"type":"input_json_delta","partial_json":${text}}`);
    }
  }

  /** Ends the open block. Clients drop thinking that has no signature. */
  #close(signature?: string): string {
    if (this.#block === undefined) return "";
    const { type } = this.#block;
    this.#block = undefined;
    if (type !== "thinking") return this.#stopEvent();
    const signed = signature ?? toSignature({ details: this.details.take() });
    return this.#signature(signed) + this.#stopEvent();
  }

  /** State without a thinking block. */
  #writeState(): string {
    const details = this.details.take();
    return details.length === 0 ? "" : this.#writeThinking(toSignature({ details }));
  }

  #stopEvent(): string {
    const data = `{"type":"content_block_stop","index":${this.#index++}}`;
    return event("content_block_stop", data);
  }

  #writeThinking(signature: string): string {
    return this.#startEvent(NO_THINKING) +
      this.#signature(signature) + this.#stopEvent();
  }

  #signature(signature: string): string {
    return this.#delta(`{"type":"signature_delta","signature":${JSON.stringify(signature)}}`);
  }

  #delta(delta: string): string {
    const head = `{"type":"content_block_delta","index":${this.#index},"delta":`;
    return event("content_block_delta", `${head}${delta}}`);
  }
}

/** Chat completions join several thoughts or messages with an empty line; blocks need none. */
function withoutBreak(text: string): string {
  return text.startsWith("\n\n") ? text.slice(2) : text;
}

const NO_THINKING = { type: "thinking", thinking: "", signature: "" };

function event(name: string, data: string): string {
  return `event: ${name}\ndata: ${data}\n\n`;
}

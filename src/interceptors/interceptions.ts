/** Composes the interceptors of one request. */

import type { ChatRequest, CompletionBody } from "../chat/chat.ts";
import type { NativeAnswers } from "../formats/native_answers.ts";
import type { VendorRequest } from "../providers/contract/adapter.ts";
import type { NativeCall } from "../providers/contract/native.ts";
import type { StreamDecoder } from "../providers/contract/stream_decoder.ts";
import type {
  CallerRequest,
  ChatInterception,
  EndedAnswer,
  Interception,
  Interceptor,
  ReadyAnswer,
  ReadyRequest,
  TargetCall,
  TargetName,
  TargetRequest,
} from "./contract.ts";

/**
 * The interceptors of one request. A request passes them in the order of the list, and its answer
 * in the reverse order.
 */
export class Interceptions {
  readonly #entries: readonly Interception[];

  constructor(entries: readonly Interception[]) {
    this.#entries = entries;
  }

  /** Whether the request may go to an API that speaks the caller's format. */
  get allowsNative(): boolean {
    return this.#entries.every(({ native, seesContent }) => !seesContent || native?.answers);
  }

  /** Whether every chunk and completion must be read. */
  get seesContent(): boolean {
    return this.#entries.some(({ seesContent }) => seesContent);
  }

  /** The first ready answer; undefined at once if no interceptor answers requests. */
  answer(
    targets: () => readonly TargetName[],
    request: ReadyRequest,
  ): Promise<ReadyAnswer | undefined> | undefined {
    const answering = this.#entries.filter(({ answer }) => answer !== undefined);
    return answering.length === 0 ? undefined : firstAnswer(answering, targets(), request);
  }

  /** Further headers of an answer that comes from a target; undefined without any. */
  get headers(): Readonly<Record<string, string>> | undefined {
    let all: Readonly<Record<string, string>> | undefined;
    for (const { headers } of this.#entries) {
      if (headers !== undefined) all = { ...all, ...headers };
    }
    return all;
  }

  /** The longest text that an interceptor wants of the answer, in UTF-16 units; 0 for none. */
  get keepsText(): number {
    return this.#entries.reduce((most, { keepsText = 0 }) => Math.max(most, keepsText), 0);
  }

  /** Reads a chat request; at once if every interceptor does. */
  readChat(request: ChatRequest): InterceptedChat | Promise<InterceptedChat> {
    return this.#readFrom(request, 0, request, []);
  }

  #readFrom(
    original: ChatRequest,
    start: number,
    request: ChatRequest,
    chats: ChatInterception[],
  ): InterceptedChat | Promise<InterceptedChat> {
    let current = request;
    const add = (read: ChatInterception | undefined) => {
      if (read === undefined) return;
      chats.push(read);
      current = read.request;
    };
    for (let index = start; index < this.#entries.length; index++) {
      const read = this.#entries[index]?.chat?.(current);
      if (read instanceof Promise) {
        return read.then((found) => {
          add(found);
          return this.#readFrom(original, index + 1, current, chats);
        });
      }
      add(read);
    }
    return new InterceptedChat(original, current, chats, this);
  }

  /** A call of a native API as its target gets it. */
  nativeCall(call: NativeCall): NativeCall {
    let current = call;
    for (const { native } of this.#entries) {
      const body = native?.request?.(current) ?? current.body;
      if (body !== current.body) current = { ...current, body };
    }
    return current;
  }

  /** The request for one target in the vendor's format. */
  request(request: VendorRequest, target: TargetRequest): VendorRequest {
    let current = request;
    for (const entry of this.#entries) current = entry.request?.(current, target) ?? current;
    return current;
  }

  /** The reader of a native API's answers to a call. */
  nativeAnswers(answers: NativeAnswers, call: NativeCall): NativeAnswers {
    return this.#entries.reduceRight(
      (current, { native }) => native?.answers?.(current, call) ?? current,
      answers,
    );
  }

  /** The answer is over. */
  ended(answer: EndedAnswer): void {
    for (const entry of this.#entries) entry.ended?.(answer);
  }
}

/** A request that no interceptor changes. */
export const NO_INTERCEPTIONS: Interceptions = new Interceptions([]);

/** The interceptors that act on a request. */
export function intercept<Config>(
  interceptors: readonly Interceptor<Config>[],
  request: CallerRequest,
  config: Config,
): Interceptions {
  if (interceptors.length === 0) return NO_INTERCEPTIONS;
  const entries = interceptors.map((one) => one.intercept(request, config));
  return new Interceptions(entries.filter((entry) => entry !== undefined));
}

async function firstAnswer(
  entries: readonly Interception[],
  targets: readonly TargetName[],
  request: ReadyRequest,
): Promise<ReadyAnswer | undefined> {
  for (const entry of entries) {
    const ready = await entry.answer?.(targets, request);
    if (ready !== undefined) return ready;
  }
  return undefined;
}

/** A chat request that the interceptors have read. */
export class InterceptedChat {
  /** The request for all targets. */
  readonly request: ChatRequest;
  /** All interceptors of the request. */
  readonly interceptions: Interceptions;
  readonly #original: ChatRequest;
  readonly #chats: readonly ChatInterception[];

  constructor(
    original: ChatRequest,
    request: ChatRequest,
    chats: readonly ChatInterception[],
    interceptions: Interceptions,
  ) {
    this.#original = original;
    this.request = request;
    this.interceptions = interceptions;
    this.#chats = chats;
  }

  /** Another request, made from the one that the interceptors have read. */
  changed(
    change: (request: ChatRequest) => ChatRequest,
  ): InterceptedChat | Promise<InterceptedChat> {
    return this.interceptions.readChat(change(this.#original));
  }

  /** The call of one target. */
  call(call: TargetCall): TargetCall {
    return this.#chats.reduce((current, chat) => chat.call?.(current) ?? current, call);
  }

  /** An answer that is not streamed. */
  completion(body: CompletionBody, call: TargetCall): CompletionBody {
    return this.#chats.reduceRight(
      (current, chat) => chat.completion?.(current, call) ?? current,
      body,
    );
  }

  /** The decoder of a stream. */
  decoder(decoder: StreamDecoder, call: TargetCall): StreamDecoder {
    return this.#chats.reduceRight(
      (current, chat) => chat.decoder?.(current, call) ?? current,
      decoder,
    );
  }
}

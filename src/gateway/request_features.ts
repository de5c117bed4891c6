/** Composes the features of one request. */

import type { ChatRequest, CompletionBody } from "../contract/chat.ts";
import type { FallbackTarget, Target } from "../config/config.ts";
import type { JsonObject } from "../core/json/object.ts";
import type { NativeAnswers } from "../apis/native_answers.ts";
import type { NativeCall } from "../contract/native.ts";
import type { OpenStream } from "../streaming/fold.ts";
import type { StreamDecoder } from "../contract/stream_decoder.ts";
import type {
  ChatFeature,
  EndedAnswer,
  EventFeature,
  ReadyAnswer,
  ReadyRequest,
  RequestFeature,
  TargetCall,
  TargetName,
  TargetRequest,
} from "./feature.ts";
import type {
  AdmittedRequest,
  AllowedAttempt,
  AttemptRules,
  CutStream,
  LimitScope,
  RequestAttempts,
  RequestSession,
  TargetAnswer,
  TargetAsking,
} from "./feature_attempts.ts";
import type { TargetOrder } from "./order/strategy.ts";
import type { VendorRequest } from "../contract/vendor_request.ts";

/**
 * The features of one request. A request passes through them in list order, and its answer in
 * reverse order.
 */
export class RequestFeatures {
  readonly #entries: readonly RequestFeature[];
  /** Whether the request may be sent to an API that speaks the caller's format. */
  readonly allowsNative: boolean;
  /** Whether every chunk and completion must be read. */
  readonly seesContent: boolean;
  /** Whether a feature may answer the request. */
  readonly mayAnswer: boolean;
  /** Whether any feature changes requests in the vendor's format. */
  readonly sends: boolean;
  /** Whether any feature reads requests in their operation's model. */
  readonly readsRequests: boolean;
  /** Whether any feature reads answers in the caller's format. */
  readonly readsAnswers: boolean;
  /** Whether answers that features cannot read are rejected. */
  readonly refusesUnseen: boolean;
  readonly #readsChats: boolean;
  /** The features' order of targets; undefined if no feature orders them. */
  readonly order: TargetOrder | undefined;
  /** The session affinity of the request. */
  readonly session: RequestSession | undefined;
  /** Whether any feature changes how targets are called. */
  readonly asksTargets: boolean;
  /** Whether an interrupted stream is continued. */
  readonly continuesStreams: boolean;
  /** Whether the request may wait for limits. */
  readonly mayWait: boolean;
  /** Whether any feature has rules for attempts. */
  readonly hasRules: boolean;
  /** Whether no feature takes part. */
  readonly isEmpty: boolean;
  /** Further headers of a target's answer; undefined if there are none. */
  readonly headers: Readonly<Record<string, string>> | undefined;
  /** The maximum length of answer text that a feature needs, in UTF-16 units; 0 for none. */
  readonly keepsText: number;

  constructor(entries: readonly RequestFeature[]) {
    let [allowsNative, seesContent, mayAnswer, keepsText] = [true, false, false, 0];
    let [sends, readsAnswers, readsChats, readsRequests] = [false, false, false, false];
    let hasRules = false;
    let mayWait = false;
    let asksTargets = false;
    let refusesUnseen = false;
    let continuesStreams = false;
    let order: TargetOrder | undefined;
    let session: RequestSession | undefined;
    let headers: Readonly<Record<string, string>> | undefined;
    for (const entry of entries) {
      if (entry.seesContent) {
        seesContent = true;
        if (entry.native?.answers === undefined) allowsNative = false;
      }
      if (entry.ready !== undefined) mayAnswer = true;
      if (entry.send !== undefined) sends = true;
      if (entry.chat !== undefined) readsChats = true;
      if (entry.request !== undefined) readsRequests = true;
      if (entry.answer !== undefined || entry.events !== undefined) readsAnswers = true;
      if (entry.order !== undefined) order = joinedOrder(order, entry.order);
      if (entry.unseen === "refuse") refusesUnseen = readsAnswers = true;
      session ??= entry.session;
      if (entry.admit !== undefined) mayWait = true;
      if (entry.target !== undefined) asksTargets = true;
      if (entry.continueStream !== undefined) continuesStreams = true;
      if (entry.attempts !== undefined) hasRules = true;
      if (entry.headers !== undefined) headers = { ...headers, ...entry.headers };
      if (entry.keepsText !== undefined) keepsText = Math.max(keepsText, entry.keepsText);
    }
    this.#entries = entries;
    this.isEmpty = entries.length === 0;
    this.sends = sends;
    this.readsAnswers = readsAnswers;
    this.refusesUnseen = refusesUnseen;
    this.readsRequests = readsRequests;
    this.#readsChats = readsChats;
    this.hasRules = hasRules;
    this.mayWait = mayWait;
    this.asksTargets = asksTargets;
    this.continuesStreams = continuesStreams;
    this.order = order;
    this.session = session;
    this.allowsNative = allowsNative;
    this.seesContent = seesContent;
    this.mayAnswer = mayAnswer;
    this.headers = headers;
    this.keepsText = keepsText;
  }

  /** The first ready answer; undefined if no feature has one. */
  async ready(
    targets: readonly TargetName[],
    request: ReadyRequest,
  ): Promise<ReadyAnswer | undefined> {
    for (const entry of this.#entries) {
      const ready = await entry.ready?.(targets, request);
      if (ready !== undefined) return ready;
    }
    return undefined;
  }

  /** Reads a chat request; synchronous if all features are. */
  readChat(request: ChatRequest): FeaturedChat | Promise<FeaturedChat> {
    return this.#readsChats
      ? this.#readFrom(request, 0, request, [])
      : new FeaturedChat(request, request, NO_CHATS, this);
  }

  #readFrom(
    original: ChatRequest,
    start: number,
    request: ChatRequest,
    chats: ChatFeature[],
  ): FeaturedChat | Promise<FeaturedChat> {
    let current = request;
    const add = (read: ChatFeature | undefined) => {
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
    return new FeaturedChat(original, current, chats, this);
  }

  /** A call to a native API, with the features' changes. */
  nativeCall(call: NativeCall): NativeCall {
    let current = call;
    for (const { native } of this.#entries) {
      const body = native?.request?.(current) ?? current.body;
      if (body !== current.body) current = { ...current, body };
    }
    return current;
  }

  /** The request for one target in the vendor's format. */
  send(request: VendorRequest, target: TargetRequest): VendorRequest | Promise<VendorRequest> {
    return this.#sendFrom(0, request, target);
  }

  /** Synchronous as long as no feature waits. */
  #sendFrom(
    start: number,
    request: VendorRequest,
    target: TargetRequest,
  ): VendorRequest | Promise<VendorRequest> {
    let current = request;
    for (let index = start; index < this.#entries.length; index++) {
      const sent = this.#entries[index]?.send?.(current, target);
      if (sent instanceof Promise) {
        return sent.then((late) => this.#sendFrom(index + 1, late, target));
      }
      current = sent ?? current;
    }
    return current;
  }

  /** A request in its operation's model. */
  async request(body: JsonObject): Promise<JsonObject> {
    let current = body;
    for (const entry of this.#entries) current = await entry.request?.(current) ?? current;
    return current;
  }

  /** An answer for the caller. */
  async answer(body: JsonObject): Promise<JsonObject> {
    let current = body;
    for (const entry of this.#entries.toReversed()) {
      current = await entry.answer?.(current) ?? current;
    }
    return current;
  }

  /** The rules for attempts; undefined if there are none. */
  rules(request: RequestAttempts): AttemptRules | undefined {
    const rules = this.#entries.flatMap((entry) => entry.attempts?.(request) ?? []);
    const [first] = rules;
    return rules.length < 2 ? first : new JoinedRules(rules);
  }

  /** Admits a request, which limits may reject. */
  admit<Result>(
    scope: LimitScope,
    request: AdmittedRequest,
    next: () => Promise<Result>,
  ): Promise<Result> {
    const run = this.#entries.reduceRight(
      (inner, entry) => () => entry.admit?.(scope, request, inner) ?? inner(),
      next,
    );
    return run();
  }

  /** Adds members to an explanation. */
  explain(chain: readonly FallbackTarget[], rules: AttemptRules | undefined): JsonObject {
    return Object.assign({}, ...this.#entries.map((entry) => entry.explain?.(chain, rules)));
  }

  /** A target's stream, continued by the first feature that supports it. */
  continueStream(cut: CutStream): OpenStream {
    for (const entry of this.#entries) {
      if (entry.continueStream !== undefined) return entry.continueStream(cut);
    }
    return cut.stream;
  }

  /** Calls a target. */
  target<Answer extends TargetAnswer>(
    target: Target,
    asking: TargetAsking<Answer>,
  ): Promise<Answer> {
    const { ask } = this.#entries.reduceRight<TargetAsking<Answer>>(
      (inner, entry) =>
        entry.target === undefined ? inner : {
          ...inner,
          ask: (target, admission, racing) =>
            racing === undefined
              ? entry.target?.(target, { ...inner, admission }) ?? inner.ask(target, admission)
              : inner.ask(target, admission, racing),
        },
      asking,
    );
    return ask(target, asking.admission);
  }

  /** The hooks for the events of a stream, in order. */
  events(): readonly EventFeature[] {
    return this.#entries.toReversed().flatMap((entry) => entry.events?.() ?? []);
  }

  /** The reader of a native API's answers to a call. */
  nativeAnswers(answers: NativeAnswers, call: NativeCall): NativeAnswers {
    return this.#entries.reduceRight(
      (current, { native }) => native?.answers?.(current, call) ?? current,
      answers,
    );
  }

  /** Called when the answer has ended. */
  end(answer: EndedAnswer): void {
    for (const entry of this.#entries) entry.end?.(answer);
  }
}

/** Combines the orders of two features. The first feature that orders a group is used. */
function joinedOrder(one: TargetOrder | undefined, other: TargetOrder): TargetOrder {
  if (one === undefined) return other;
  return {
    strategies: { ...other.strategies, ...one.strategies },
    group: (...input) => one.group?.(...input) ?? other.group?.(...input),
    route(targets, policy, context) {
      const ordered = one.route?.(targets, policy, context) ?? targets;
      return other.route?.(ordered, policy, context) ?? ordered;
    },
  };
}

/** Combines the rules of several features. */
class JoinedRules implements AttemptRules {
  readonly #rules: readonly AttemptRules[];

  constructor(rules: readonly AttemptRules[]) {
    this.#rules = rules;
  }

  get overNote(): string | undefined {
    return this.#rules.find(({ overNote }) => overNote !== undefined)?.overNote;
  }

  allow(target: Target): AllowedAttempt {
    let current = target;
    const allowed = this.#rules.map((rules) => {
      const next = rules.allow(current);
      current = next.target;
      return next;
    });
    return {
      target: current,
      begin: (attempt) => allowed.forEach((one) => one.begin?.(attempt)),
      note: (changes) => allowed.forEach((one) => one.note?.(changes)),
    };
  }

  allowsBeside(target: Target, open?: Target): boolean {
    return this.#rules.every((rules) => rules.allowsBeside?.(target, open) !== false);
  }
}

const NO_CHATS: readonly ChatFeature[] = [];

/** A request that no feature changes. */
export const NO_FEATURES: RequestFeatures = new RequestFeatures([]);

/** A chat request that the features have read. */
export class FeaturedChat {
  /** The request for all targets. */
  readonly request: ChatRequest;
  /** All features of the request. */
  readonly features: RequestFeatures;
  readonly #original: ChatRequest;
  readonly #chats: readonly ChatFeature[];

  constructor(
    original: ChatRequest,
    request: ChatRequest,
    chats: readonly ChatFeature[],
    features: RequestFeatures,
  ) {
    this.#original = original;
    this.request = request;
    this.features = features;
    this.#chats = chats;
  }

  /** Whether no feature changes its calls or reads its answers as a chat. */
  get isUnchanged(): boolean {
    return this.#chats.length === 0;
  }

  /** A request that was derived from the one that features have read. */
  changed(
    change: (request: ChatRequest) => ChatRequest,
  ): FeaturedChat | Promise<FeaturedChat> {
    return this.features.readChat(change(this.#original));
  }

  /** The call to one target. */
  call(call: TargetCall): TargetCall {
    let current = call;
    for (const chat of this.#chats) current = chat.call?.(current) ?? current;
    return current;
  }

  /** A complete answer. */
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

/**
 * Traces and metrics through OpenTelemetry's interface, for the exporter that
 * is built into the runtime: one client span for each attempt, below the span
 * that the runtime makes for the request. Names are those of the conventions
 * for generative AI (https://opentelemetry.io/docs/specs/semconv/gen-ai/, 2026-11).
 */

import {
  type Attributes,
  context,
  createNoopMeter,
  type Histogram,
  metrics,
  ProxyTracerProvider,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from "@opentelemetry/api";
import type { Aim, Answer } from "../routing/attempt.ts";
import type { AttemptObserver } from "../routing/observer.ts";
import type { ChatRequest, Usage } from "../chat/chat.ts";
import type { Clock } from "../core/clock.ts";
import type { Exchange } from "../routing/request_record.ts";
import { StreamedContent, toInputMessages, toOutputMessages } from "./traced_content.ts";

/** What is told, and when. */
export interface TelemetryOptions {
  readonly version: string;
  readonly clock: Clock;
  /** Whether spans hold what was said: `telemetry.capture_content`. */
  readonly capturesContent: () => boolean;
}

/**
 * Whether the runtime exports what it is told. It answers for itself, since the
 * environment only asks for it: an executable has that settled when it is built.
 */
export function isExporting(): boolean {
  const traces = !(trace.getTracerProvider() instanceof ProxyTracerProvider);
  return traces || metrics.getMeter("sluice") !== createNoopMeter();
}

/** The attempt that answered; its span ends with the answer. */
interface OpenAttempt {
  readonly span: Span;
  readonly began: number;
  readonly labels: Attributes;
  readonly answer: Answer;
  readonly said: StreamedContent | undefined;
}

/** The boundaries that the conventions advise. */
const TOKENS = Array.from({ length: 14 }, (_, power) => 4 ** power);
const SECONDS = Array.from({ length: 14 }, (_, power) => 0.01 * 2 ** power);
const FIRST_TOKENS = [
  ...[0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08],
  ...[0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10],
];

/** Tells of every attempt. Made only when somebody listens. */
export class Telemetry {
  readonly #options: TelemetryOptions;
  readonly #tracer;
  readonly #tokens: Histogram;
  readonly #durations: Histogram;
  readonly #firstTokens: Histogram;
  readonly #open = new WeakMap<Exchange, OpenAttempt>();

  constructor(options: TelemetryOptions) {
    this.#options = options;
    this.#tracer = trace.getTracer("sluice", options.version);
    const meter = metrics.getMeter("sluice", options.version);
    const histogram = (name: string, unit: string, description: string, bounds: number[]) =>
      meter.createHistogram(name, {
        unit,
        description,
        advice: { explicitBucketBoundaries: bounds },
      });
    this.#tokens = histogram("gen_ai.client.token.usage", "{token}", "Tokens used", TOKENS);
    this.#durations = histogram(
      "gen_ai.client.operation.duration",
      "s",
      "How long attempts take",
      SECONDS,
    );
    this.#firstTokens = histogram(
      "gen_ai.server.time_to_first_token",
      "s",
      "Until a stream's first event",
      FIRST_TOKENS,
    );
  }

  /** Starts the span of an attempt. What the attempt sends names the span as its parent. */
  attemptStarted(aim: Aim, exchange: Exchange): AttemptObserver {
    const { clock, capturesContent } = this.#options;
    const labels = toLabels(aim);
    const name = `chat ${aim.target.model.upstream}`;
    const attributes = { ...labels, ...toAttributes(aim) };
    const span = this.#tracer.startSpan(name, { kind: SpanKind.CLIENT, attributes });
    const active = trace.setSpan(context.active(), span);
    const began = clock.now();
    const captures = capturesContent() && span.isRecording();
    if (captures) {
      span.setAttribute("gen_ai.input.messages", toInputMessages(aim.request.messages));
    }
    return {
      run: (send) => context.with(active, send),
      answered: (answer) => {
        const said = captures ? listenTo(answer) : undefined;
        this.#open.set(exchange, { span, began, labels, answer, said });
      },
      failed: (error, sent) => {
        // A span that never ends is never exported, as it should be when nothing was sent.
        if (sent) this.#fail(span, labels, began, error.kind);
      },
    };
  }

  /** Tells the end of the attempt that answered, if one did. */
  ended(exchange: Exchange, endedAt: number): void {
    const attempt = this.#open.get(exchange);
    if (attempt === undefined) return;
    this.#open.delete(exchange);
    const { span, began, answer, said } = attempt;
    const told = answeredBy(answer);
    const labels = { ...attempt.labels, "gen_ai.response.model": told.model };
    span.setAttributes({
      "gen_ai.response.id": told.id,
      "gen_ai.response.model": told.model,
      "gen_ai.response.finish_reasons": [...told.finishReasons],
    });
    const { usage, firstTokenAt, error, outcome } = exchange;
    if (usage !== undefined) this.#tellUsage(span, labels, usage);
    if (firstTokenAt !== undefined) this.#firstTokens.record((firstTokenAt - began) / 1000, labels);
    const { result } = answer;
    const choices = result.type === "completion" ? result.body.choices : said?.choices;
    if (said !== undefined && choices !== undefined) {
      span.setAttribute("gen_ai.output.messages", toOutputMessages(choices));
    }
    const failure = outcome === "client_gone" ? outcome : error?.kind;
    if (failure !== undefined) return this.#fail(span, labels, began, failure);
    this.#durations.record((endedAt - began) / 1000, labels);
    span.end();
  }

  /** Names the runtime's own span after the route, which only we know. */
  routed({ route, id }: Exchange, method: string): void {
    const span = trace.getActiveSpan();
    span?.updateName(`${method} ${route}`);
    span?.setAttributes({ "http.route": route, "sluice.request_id": id });
  }

  #fail(span: Span, labels: Attributes, began: number, kind: string): void {
    const failure = { "error.type": kind };
    span.setAttributes(failure);
    span.setStatus({ code: SpanStatusCode.ERROR });
    this.#durations.record((this.#options.clock.now() - began) / 1000, { ...labels, ...failure });
    span.end();
  }

  #tellUsage(span: Span, labels: Attributes, usage: Usage): void {
    const { prompt_tokens: input, completion_tokens: output } = usage;
    const cached = usage.prompt_tokens_details?.cached_tokens;
    span.setAttributes({
      "gen_ai.usage.input_tokens": input,
      "gen_ai.usage.output_tokens": output,
      ...(typeof cached === "number" ? { "gen_ai.usage.cache_read.input_tokens": cached } : {}),
    });
    this.#tokens.record(input, { ...labels, "gen_ai.token.type": "input" });
    this.#tokens.record(output, { ...labels, "gen_ai.token.type": "output" });
  }
}

/** What metrics are told of an attempt as well: few values, all of config.yaml. */
function toLabels({ target: { provider, model } }: Aim): Attributes {
  const url = URL.parse(provider.settings.baseUrl);
  return {
    "gen_ai.operation.name": "chat",
    "gen_ai.provider.name": provider.adapter.genAiName ?? provider.adapter.kind,
    "gen_ai.request.model": model.upstream,
    ...(url === null ? {} : {
      "server.address": url.hostname,
      "server.port": Number(url.port) || (url.protocol === "http:" ? 80 : 443),
    }),
  };
}

/** Parameters that have an attribute of their own. */
const PARAMETERS = [
  ["max_tokens", "gen_ai.request.max_tokens"],
  ["max_completion_tokens", "gen_ai.request.max_tokens"],
  ["temperature", "gen_ai.request.temperature"],
  ["top_p", "gen_ai.request.top_p"],
  ["frequency_penalty", "gen_ai.request.frequency_penalty"],
  ["presence_penalty", "gen_ai.request.presence_penalty"],
  ["seed", "gen_ai.request.seed"],
] as const satisfies readonly (readonly [keyof ChatRequest, string])[];

/** What the caller asked for, as far as it is no content. */
function toAttributes({ target, request }: Aim): Attributes {
  const asked: ChatRequest = { ...target.params, ...request };
  const attributes: Attributes = { "sluice.provider": target.provider.settings.id };
  for (const [member, name] of PARAMETERS) {
    const value = asked[member];
    if (value !== undefined) attributes[name] = value;
  }
  if (asked.n !== undefined && asked.n !== 1) attributes["gen_ai.request.choice.count"] = asked.n;
  return attributes;
}

/** Hears a stream's events as they are written; a whole answer needs no ear. */
function listenTo({ result }: Answer): StreamedContent {
  const said = new StreamedContent();
  if (result.type === "stream") {
    said.push(result.stream.first);
    result.stream.fold.onWritten = (output) => said.push(output);
  }
  return said;
}

function answeredBy({ result, stamp }: Answer) {
  if (result.type === "stream") return result.stream.fold.summary;
  const { id, model, choices } = result.body;
  return {
    id: id ?? stamp.id,
    model: model ?? stamp.model,
    finishReasons: choices.map(({ finish_reason }) => finish_reason),
  };
}

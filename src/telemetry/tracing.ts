/**
 * Traces and metrics through the OpenTelemetry API, for the runtime's exporter. Each attempt is a
 * client span below the runtime's span for the request. Names follow the conventions for generative
 * AI (https://opentelemetry.io/docs/specs/semconv/gen-ai/, 2026-11).
 */

import {
  type Attributes,
  type AttributeValue,
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
import type { AnswerSummary } from "../apis/chat/caller_format.ts";
import type {
  AttemptAnswer,
  AttemptInput,
  AttemptObserver,
  PassthroughObserver,
} from "../gateway/attempt.ts";
import type { ChatRequest, Usage } from "../contract/chat.ts";
import type { Provider, Target } from "../config/config.ts";
import type { Clock } from "../core/clock.ts";
import type { RequestRecord } from "../gateway/request_record.ts";
import { StreamedContent, toInputMessages, toOutputMessages } from "./traced_content.ts";

/** The options of {@linkcode Telemetry}. */
export interface TelemetryOptions {
  readonly version: string;
  readonly clock: Clock;
  /** Whether spans contain message content: `telemetry.capture_content`. */
  readonly capturesContent: () => boolean;
  /** Whether metrics are exported. */
  readonly exportsMetrics: boolean;
}

/**
 * Whether the runtime exports traces or metrics. The API is queried, not the environment, since an
 * executable's export support is fixed at build time.
 */
export function isExporting(): boolean {
  const traces = !(trace.getTracerProvider() instanceof ProxyTracerProvider);
  return traces || metrics.getMeter("sluice") !== createNoopMeter();
}

/** The attempt that answered. Its span ends when the answer does. */
interface OpenAttempt {
  readonly span: Span;
  readonly began: number;
  readonly labels: Attributes;
  readonly answer: AttemptAnswer;
  readonly content: StreamedContent | undefined;
}

/** The result of an attempt's answer. */
interface AttemptEnd {
  readonly model: string;
  readonly at: number;
  /** A failure's label. */
  readonly failed: Attributes | undefined;
}

/** Replaces a URL's query, according to the conventions for URL attributes. */
const REDACTED = "REDACTED";

/** The bucket boundaries that the conventions recommend. */
const TOKEN_BUCKETS = Array.from({ length: 14 }, (_, power) => 4 ** power);
const DURATION_BUCKETS = Array.from({ length: 14 }, (_, power) => 0.01 * 2 ** power);
const FIRST_TOKEN_BUCKETS = [
  ...[0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08],
  ...[0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10],
];

/** Records every attempt. Created only when an exporter is configured. */
export class Telemetry {
  readonly #options: TelemetryOptions;
  readonly #tracer;
  readonly #tokens: Histogram;
  readonly #durations: Histogram;
  readonly #firstTokens: Histogram;
  readonly #open = new WeakMap<RequestRecord, OpenAttempt>();
  /** The labels for the last operation at each target. */
  readonly #labels = new WeakMap<Target, Attributes>();
  /** The pass-through requests whose response is still being read. */
  readonly #passed = new WeakMap<RequestRecord, Span>();

  constructor(options: TelemetryOptions) {
    this.#options = options;
    this.#tracer = trace.getTracer("sluice", options.version);
    // The span is never ended, so it is not exported.
    redactUrls(this.#tracer.startSpan(""));
    const meter = metrics.getMeter("sluice", options.version);
    const histogram = (name: string, unit: string, description: string, bounds: number[]) =>
      meter.createHistogram(name, {
        unit,
        description,
        advice: { explicitBucketBoundaries: bounds },
      });
    this.#tokens = histogram("gen_ai.client.token.usage", "{token}", "Tokens used", TOKEN_BUCKETS);
    this.#durations = histogram(
      "gen_ai.client.operation.duration",
      "s",
      "Duration of attempts",
      DURATION_BUCKETS,
    );
    this.#firstTokens = histogram(
      "gen_ai.server.time_to_first_token",
      "s",
      "Time to the first event of a stream",
      FIRST_TOKEN_BUCKETS,
    );
  }

  /** Starts an attempt's span. The span is the parent of the attempt's requests. */
  attemptStarted(input: AttemptInput, record: RequestRecord): AttemptObserver {
    const { clock, capturesContent } = this.#options;
    const labels = this.#labelsOf(input);
    const name = `${input.operation.name} ${input.target.model.upstream}`;
    const attributes = { ...labels, ...toAttributes(input) };
    const span = this.#tracer.startSpan(name, { kind: SpanKind.CLIENT, attributes });
    const active = trace.setSpan(context.active(), span);
    const began = clock.now();
    const { chat } = input.operation;
    const captures = chat !== undefined && capturesContent() && span.isRecording();
    if (captures) span.setAttribute("gen_ai.input.messages", toInputMessages(chat.messages));
    return {
      run: (send) => context.with(active, send),
      answered: (answer) => {
        const content = captures ? captureContent(answer) : undefined;
        this.#open.set(record, { span, began, labels, answer, content });
      },
      failed: (error, sent) => {
        // If nothing was sent, the span is never ended, so it is not exported.
        if (sent) this.#fail(span, labels, began, error.kind);
      },
    };
  }

  #labelsOf({ operation, target }: AttemptInput): Attributes {
    const known = this.#labels.get(target);
    if (known?.["gen_ai.operation.name"] === operation.name) return known;
    const labels = toLabels(operation.name, target);
    this.#labels.set(target, labels);
    return labels;
  }

  /**
   * Starts a pass-through request's span. Names follow the conventions for HTTP clients
   * (https://opentelemetry.io/docs/specs/semconv/http/http-spans/, 2026-11).
   */
  passthroughStarted(
    { adapter, settings }: Provider,
    method: string,
    record: RequestRecord,
  ): PassthroughObserver {
    const attributes = {
      "http.request.method": method,
      "gen_ai.provider.name": adapter.genAiName ?? adapter.kind,
      "sluice.provider": settings.id,
      ...toAddress(settings.baseUrl),
    };
    const name = `${method} passthrough`;
    const span = this.#tracer.startSpan(name, { kind: SpanKind.CLIENT, attributes });
    const active = trace.setSpan(context.active(), span);
    return {
      run: (send) => context.with(active, send),
      answered: (status, isLast) => {
        span.setAttribute("http.response.status_code", status);
        if (status >= 400) markFailed(span, String(status));
        if (isLast) this.#passed.set(record, span);
        else span.end();
      },
      failed: ({ kind }) => {
        markFailed(span, kind);
        span.end();
      },
    };
  }

  /** Ends the span of the attempt that answered, if there is one. */
  ended(record: RequestRecord, endedAt: number): void {
    this.#endPassed(record);
    const attempt = this.#open.get(record);
    if (attempt === undefined) return;
    this.#open.delete(record);
    const { span, answer, content } = attempt;
    const summary = summaryOf(answer);
    span.setAttributes({
      "gen_ai.response.id": summary.id,
      "gen_ai.response.model": summary.model,
      "gen_ai.response.finish_reasons": [...summary.finishReasons],
    });
    const { error, outcome } = record;
    const { usage } = answer.attempt;
    if (usage !== undefined) setUsage(span, usage);
    const { result } = answer;
    const choices = result.type === "text" ? result.choices : content?.choices;
    if (content !== undefined && choices !== undefined) {
      span.setAttribute("gen_ai.output.messages", toOutputMessages(choices));
    }
    const failure = outcome === "client_gone" ? outcome : error?.kind;
    const failed = failure === undefined ? undefined : markFailed(span, failure);
    span.end();
    if (this.#options.exportsMetrics) {
      this.#count(attempt, { model: summary.model, at: endedAt, failed });
    }
  }

  #count({ answer, began, labels }: OpenAttempt, { model, at, failed }: AttemptEnd): void {
    const { firstTokenAt, usage } = answer.attempt;
    const named = { ...labels, "gen_ai.response.model": model };
    if (usage !== undefined) {
      this.#tokens.record(usage.prompt_tokens, { ...named, "gen_ai.token.type": "input" });
      this.#tokens.record(usage.completion_tokens, { ...named, "gen_ai.token.type": "output" });
    }
    if (firstTokenAt !== undefined) this.#firstTokens.record((firstTokenAt - began) / 1000, named);
    this.#durations.record((at - began) / 1000, failed ? { ...named, ...failed } : named);
  }

  #endPassed(record: RequestRecord): void {
    const span = this.#passed.get(record);
    if (span === undefined) return;
    this.#passed.delete(record);
    const { error, outcome } = record;
    const failure = outcome === "client_gone" ? outcome : error?.kind;
    if (failure !== undefined) markFailed(span, failure);
    span.end();
  }

  /** Names the runtime's span for the request after the route, which is unknown to the runtime. */
  routed({ route, id }: RequestRecord, method: string): void {
    const span = trace.getActiveSpan();
    span?.updateName(`${method} ${route}`);
    span?.setAttributes({ "http.route": route, "sluice.request_id": id });
  }

  #fail(span: Span, labels: Attributes, began: number, kind: string): void {
    const failure = markFailed(span, kind);
    span.end();
    if (!this.#options.exportsMetrics) return;
    this.#durations.record((this.#options.clock.now() - began) / 1000, { ...labels, ...failure });
  }
}

function setUsage(span: Span, usage: Usage): void {
  const cached = usage.prompt_tokens_details?.cached_tokens;
  span.setAttributes({
    "gen_ai.usage.input_tokens": usage.prompt_tokens,
    "gen_ai.usage.output_tokens": usage.completion_tokens,
    ...(typeof cached === "number" ? { "gen_ai.usage.cache_read.input_tokens": cached } : {}),
  });
}

/**
 * Makes all spans of this class export URLs without queries and user information, which may contain
 * keys. The runtime sets the URL of a request before the gateway sees it, has no hook for that, and
 * exports both values of an attribute that is set twice (Deno 2.9.6, 2026-11-28).
 */
function redactUrls(span: Span): void {
  const spans: Span = Object.getPrototypeOf(span);
  const { setAttribute } = spans;
  spans.setAttribute = function (name, value) {
    return setAttribute.call(this, name, redactedUrl(name, value));
  };
}

/** A URL without a query, a fragment or a user. */
const PLAIN_URL = /^https?:\/\/[^\s?#@]*$/;

function redactedUrl(name: string, value: AttributeValue): AttributeValue {
  if (name === "url.query") return value === "" ? value : REDACTED;
  if (name !== "url.full" || PLAIN_URL.test(String(value))) return value;
  const url = URL.parse(String(value));
  if (url === null) return REDACTED;
  url.username = url.password = url.hash = "";
  if (url.search !== "") url.search = REDACTED;
  return url.href;
}

function markFailed(span: Span, type: string): Attributes {
  const failure = { "error.type": type };
  span.setAttributes(failure);
  span.setStatus({ code: SpanStatusCode.ERROR });
  return failure;
}

/** An attempt's labels in metrics. All values come from config.yaml. */
function toLabels(operation: string, { provider, model }: Target): Attributes {
  return {
    "gen_ai.operation.name": operation,
    "gen_ai.provider.name": provider.adapter.genAiName ?? provider.adapter.kind,
    "gen_ai.request.model": model.upstream,
    ...toAddress(provider.settings.baseUrl),
  };
}

function toAddress(baseUrl: string): Attributes {
  const url = URL.parse(baseUrl);
  if (url === null) return {};
  return {
    "server.address": url.hostname,
    "server.port": Number(url.port) || (url.protocol === "http:" ? 80 : 443),
  };
}

/** Parameters with a standard attribute. */
const PARAMETERS = [
  ["max_tokens", "gen_ai.request.max_tokens"],
  ["max_completion_tokens", "gen_ai.request.max_tokens"],
  ["temperature", "gen_ai.request.temperature"],
  ["top_p", "gen_ai.request.top_p"],
  ["frequency_penalty", "gen_ai.request.frequency_penalty"],
  ["presence_penalty", "gen_ai.request.presence_penalty"],
  ["seed", "gen_ai.request.seed"],
] as const satisfies readonly (readonly [keyof ChatRequest, string])[];

/** The request's parameters as attributes, without content. */
function toAttributes({ target, operation: { chat } }: AttemptInput): Attributes {
  const attributes: Attributes = { "sluice.provider": target.provider.settings.id };
  if (chat === undefined) return attributes;
  const defaults: Partial<ChatRequest> = target.params ?? {};
  for (const [member, name] of PARAMETERS) {
    const value = member in chat ? chat[member] : defaults[member];
    if (typeof value === "number") attributes[name] = value;
  }
  const n = "n" in chat ? chat.n : defaults.n;
  if (n !== undefined && n !== 1) attributes["gen_ai.request.choice.count"] = n;
  return attributes;
}

/** Collects a stream's content as it is written. The content of other answers is read later. */
function captureContent({ result }: AttemptAnswer): StreamedContent {
  const content = new StreamedContent();
  if (result.type === "stream") {
    content.push(result.stream.first);
    result.stream.fold.onWritten = (output) => content.push(output);
  }
  return content;
}

function summaryOf({ result }: AttemptAnswer): AnswerSummary {
  return result.type === "stream" ? result.stream.fold.summary : result.summary;
}

/** All measured work in groups: conversions of requests, and readers of answers. */

import { systemClock } from "../../../src/core/clock.ts";
import { chatCompletions } from "../../../src/apis/chat_completions/format.ts";
import { createAccessLog } from "../../../src/telemetry/access_log.ts";
import type { ChatRequest, JsonObject } from "../../../src/contract/chat.ts";
import { stampCompletion } from "../../../src/apis/chat_completions/envelope.ts";
import { GatewayError } from "../../../src/core/errors.ts";
import { AttemptState } from "../../../src/gateway/attempt_state.ts";
import { RequestRecord } from "../../../src/gateway/request_record.ts";
import type { Prepared } from "../../../src/gateway/execute/chat/prepare_request.ts";
import { addReceipt } from "../../../src/http/response.ts";
import { StreamedContent, toInputMessages } from "../../../src/telemetry/traced_content.ts";
import { toCallerError } from "../../../src/upstream/upstream_errors.ts";
import { callerFormatCases } from "./caller_formats.ts";
import { answersOf, FAILURES, failuresOfText } from "./answers.ts";
import { largeBodies } from "./large_bodies.ts";
import type { MakeWork } from "./measure.ts";
import { FIELDS, type MakeRequest, MESSAGES, TOOL_TURNS, TOOLS, USER } from "./requests.ts";
import { DEPTHS, LISTS, type MakeSchema, REFERENCES } from "./schemas.ts";
import { streamsOf } from "./streams.ts";
import { type NamedTarget, prepareFor, readRequest, readTargets } from "./targets.ts";
import { textRequests } from "./texts.ts";
import { createFold } from "../../../src/gateway/execute/chat/chat_operation.ts";

/** Work that is measured at its size and at a quarter and a sixteenth of it. */
export interface Case {
  readonly name: string;
  readonly size: number;
  readonly make: MakeWork;
}

/** The number of entries, members or references. */
const ENTRIES = 2500;
/** The number of levels, each of which has many members. */
const LEVELS = 100;
/** The number of events. */
const EVENTS = 800;
/** The number of characters. */
const CHARACTERS = 8000;
/** The factor of the cases of caller formats. */
const FORMAT_SCALE = 4;
/** The same in the full form. */
const FULL_FORMAT_SCALE = 32;
/** The factor of the full form. */
const FULL_SCALE = 4;
/** The same for levels: a request may have 256 of them. */
const FULL_LEVELS_SCALE = 2.5;
/** Similar targets share the shapes: each gets one in this many. */
const SHARE = 10;

/** Groups of cases by name; `full` combines all shapes with all targets, at larger sizes. */
export const GROUPS: Readonly<Record<string, (full: boolean) => Iterable<Case>>> = {
  messages: (full) => conversions({ ...MESSAGES, ...TOOL_TURNS }, ENTRIES, full),
  fields: (full) => conversions({ ...TOOLS, ...FIELDS }, ENTRIES, full),
  lists: (full) => conversions(withSchemas(LISTS), ENTRIES, full),
  references: (full) => conversions(withSchemas(REFERENCES), ENTRIES, full),
  depths: (full) => conversions(withSchemas(DEPTHS), LEVELS, full, FULL_LEVELS_SCALE),
  texts: (full) => conversions(Object.fromEntries(textRequests()), CHARACTERS, full),
  answers,
  streams,
  failures,
  formats,
  "large bodies": largeBodies,
};

/** Requests with a schema in every possible place. */
function withSchemas(
  schemas: Readonly<Record<string, MakeSchema>>,
): Readonly<Record<string, MakeRequest>> {
  return Object.fromEntries(
    Object.entries(schemas).flatMap(([name, make]): [string, MakeRequest][] => [
      [`strict parameters: ${name}`, (size) => {
        const made = { name: "f", strict: true, parameters: make(size) };
        return { messages: [USER], tools: [{ type: "function", function: made }] };
      }],
      [`response format: ${name}`, (size) => {
        const json_schema = { name: "f", schema: make(size) };
        return { messages: [USER], response_format: { type: "json_schema", json_schema } };
      }],
    ]),
  );
}

function* conversions(
  shapes: Readonly<Record<string, MakeRequest>>,
  size: number,
  full: boolean,
  scale = FULL_SCALE,
): Iterable<Case> {
  const targets = readTargets();
  const scaled = full ? scale * size : size;
  for (const [index, [shape, make]] of Object.entries(shapes).entries()) {
    const request = remembered((at) => orRefused(() => readRequest(make(at))));
    yield { name: shape, size: scaled, make: (at) => toTold(request(at)) };
    for (const target of sharedOut(targets, index, full)) {
      const name = `${shape} | ${target.name}`;
      yield { name, size: scaled, make: (at) => toConversion(request(at), target) };
    }
  }
}

/** The work of the gateway on a request. */
function toTold(request: ChatRequest | undefined): () => void {
  return () => void (request && toInputMessages(request.messages));
}

/** The conversion up to the sent text, and its headers and log line. */
function toConversion(request: ChatRequest | undefined, named: NamedTarget): () => void {
  if (request === undefined) return () => {};
  const log = createAccessLog(() => {}, { readable: () => true });
  return () =>
    void orRefused(() => {
      const { adapter, call, unsigned, changes } = prepareFor(named, request);
      JSON.stringify(unsigned.body);
      adapter.decoder(call);
      const record = new RequestRecord(
        "req_1",
        new AbortController().signal,
        0,
        chatCompletions,
        () => {},
      );
      const attempt = new AttemptState(named.target, chatCompletions, systemClock);
      record.attempt = Object.assign(attempt, { changes });
      addReceipt({}, record);
      log.record([record.close(1, 1)]);
    });
}

/** The number of tools of a request whose answer is read. */
const TOOL_COUNT = 1000;

/** Requests whose answers are read differently. */
const ASKED: readonly (readonly [name: string, members: JsonObject])[] = [
  ["plain", { messages: [USER] }],
  ["JSON by instruction", {
    messages: [USER],
    response_format: { type: "json_object" },
    tools: [{ type: "function", function: { name: "f0" } }],
  }],
  ["many tools, one at a time", {
    messages: [USER],
    parallel_tool_calls: false,
    ...TOOLS.tools?.(TOOL_COUNT),
  }],
];

/** A target with a request, whose answer is read. */
interface Asked {
  readonly name: string;
  readonly named: NamedTarget;
  readonly prepared: Prepared;
}

/** Each target with one of the requests, or with all of them. */
function* askedOf(stream: boolean, full: boolean): Iterable<Asked> {
  for (const [index, named] of readTargets().entries()) {
    if (named.plain && !full) continue;
    for (const [at, [asked, members]] of ASKED.entries()) {
      if (!full && at !== index % ASKED.length) continue;
      const request = readRequest({ ...members, ...(stream && { stream }) });
      const prepared = orRefused(() => prepareFor(named, request));
      if (prepared !== undefined) yield { name: `${named.name}, ${asked}`, named, prepared };
    }
  }
}

function* answers(full: boolean): Iterable<Case> {
  for (const asked of askedOf(false, full)) {
    for (const [shape, make] of answersOf(asked.named.format)) {
      const size = shape.startsWith("a text") ? CHARACTERS : ENTRIES;
      const name = `${shape} | ${asked.name}`;
      yield {
        name,
        size: full ? FULL_SCALE * size : size,
        make: (at) => toReading(asked, make(at)),
      };
    }
  }
}

const STAMP = { id: "chatcmpl-test", created: 1, model: "m" };

function toReading({ prepared: { adapter, call } }: Asked, body: unknown): () => void {
  const text = JSON.stringify(body);
  return () =>
    void orRefused(() => {
      const answer = { status: 200, headers: new Headers(), body: JSON.parse(text) };
      return JSON.stringify(stampCompletion(adapter.toCompletion(answer, call), STAMP));
    });
}

function* streams(full: boolean): Iterable<Case> {
  const made = new Map<string, (size: number) => Uint8Array>();
  const size = full ? FULL_SCALE * EVENTS : EVENTS;
  for (const asked of askedOf(true, full)) {
    const { format } = asked.named;
    for (const [shape, make] of streamsOf(format)) {
      const key = `${format} ${shape}`;
      // The content is collected in the same way for all vendors.
      const captures = !made.has(key);
      const bytes = made.get(key) ?? remembered(make);
      made.set(key, bytes);
      const name = `${shape} | ${asked.name}`;
      yield { name, size, make: (at) => toFolding(asked, bytes(at), captures) };
    }
  }
}

/** The number of bytes that are read from a connection at once. */
const PACKET = 32 * 1024;

function toFolding(
  { named: { target }, prepared: { adapter, call } }: Asked,
  bytes: Uint8Array,
  captures: boolean,
): () => void {
  return () =>
    void orRefused(() => {
      const fold = createFold({ adapter, call, format: chatCompletions, stamp: STAMP, target });
      const said = new StreamedContent();
      if (captures) fold.onWritten = (output) => said.push(output);
      for (let at = 0; at < bytes.length && !fold.ended; at += PACKET) {
        fold.push(bytes.subarray(at, at + PACKET));
      }
      if (!fold.ended) fold.end();
    });
}

const STATUSES = [400, 403, 429, 500];

const REQUEST_OF_FAILURE = { model: "m", messages: [] } as unknown as ChatRequest;

/** These cases are few, so that each can be larger. */
function* formats(full: boolean): Iterable<Case> {
  const size = ENTRIES * (full ? FULL_FORMAT_SCALE : FORMAT_SCALE);
  for (const [name, make] of callerFormatCases()) yield { name, size, make };
}

function* failures(full: boolean): Iterable<Case> {
  for (const target of readTargets()) {
    if (target.plain && !full) continue;
    for (const [shape, make] of [...Object.entries(FAILURES), ...failuresOfText()]) {
      const size = shape.startsWith("a text") ? CHARACTERS : ENTRIES;
      yield { name: `${shape} | ${target.name}`, size, make: (at) => toFailing(target, make(at)) };
    }
  }
}

/** One body with several statuses, since each status has different patterns. */
function toFailing({ target }: NamedTarget, body: unknown): () => void {
  const { adapter } = target.provider;
  const headers = new Headers();
  return () => {
    for (const status of STATUSES) {
      orRefused(() => {
        const verdict = adapter.toError({ where: "answer", status, headers, body });
        toCallerError(verdict, target.provider, REQUEST_OF_FAILURE, { status, headers })
          .toDetails();
      });
    }
    orRefused(() => adapter.toError({ where: "stream", body }));
  };
}

/** The first target with the code of each vendor, and a share of the others. */
function sharedOut(
  targets: readonly NamedTarget[],
  shape: number,
  full: boolean,
): readonly NamedTarget[] {
  const codeOf = ({ format, target }: NamedTarget) =>
    format === "dialect" ? target.provider.adapter.kind : format;
  const first = new Map(targets.toReversed().map((target) => [codeOf(target), target]));
  return targets.filter((target, at) =>
    full || at % SHARE === shape % SHARE || !target.plain && first.get(codeOf(target)) === target
  );
}

/** Caches the value of the last size. */
function remembered<Made>(make: (size: number) => Made): (size: number) => Made {
  const known = new Map<number, Made>();
  return (size) => {
    if (!known.has(size)) known.set(size, make(size));
    return known.get(size) as Made;
  };
}

/** Ignores refusals, and JSON that is nested too deeply. */
function orRefused<Result>(run: () => Result): Result | undefined {
  try {
    return run();
  } catch (thrown) {
    if (thrown instanceof GatewayError || thrown instanceof RangeError) return undefined;
    throw thrown;
  }
}

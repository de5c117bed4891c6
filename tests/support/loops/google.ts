/** Gemini in both APIs: a signature on the first call of a turn. */

import type { JsonObject } from "../../../src/contract/chat.ts";
import { toEventStream } from "../scripted_vendor.ts";
import {
  argumentsOf,
  type Called,
  callsOf,
  DESCRIPTION,
  type Loop,
  PARAMETERS,
  providerAt,
  QUESTION,
  TOOL,
} from "./loop.ts";

const MODEL = "gemini-3.5-flash";
const THOUGHTS = ["Two cities,", " one tool."] as const;
const SIGNATURE = "CtcBAXLI2nw+/w==";
/** The placeholder that Google accepts instead of a lost signature. */
const LOST = "skip_thought_signature_validator";

/** Vertex neither sends nor accepts IDs. */
function toIdentity(call: Called, withId: boolean): JsonObject {
  return { ...(withId && { id: call.id }), name: TOOL };
}

/** Only the first call of a turn is signed. */
function toCallParts(
  calls: readonly Called[],
  withId: boolean,
  thoughtSignature = SIGNATURE,
): readonly JsonObject[] {
  return calls.map((call, at) => ({
    functionCall: { ...toIdentity(call, withId), args: JSON.parse(argumentsOf(call)) },
    ...(at === 0 && { thoughtSignature }),
  }));
}

const ENVELOPE = {
  usageMetadata: {
    promptTokenCount: 30,
    candidatesTokenCount: 12,
    thoughtsTokenCount: 40,
    totalTokenCount: 82,
  },
  modelVersion: MODEL,
  responseId: "response-vendor",
};

function toAnswer(parts: readonly JsonObject[], end: JsonObject = {}): JsonObject {
  return { candidates: [{ content: { role: "model", parts }, index: 0, ...end }], ...ENVELOPE };
}

function geminiLoop(withId: boolean) {
  return {
    model: MODEL,
    frame: () => ({
      tools: [{
        functionDeclarations: [{
          name: TOOL,
          description: DESCRIPTION,
          parametersJsonSchema: PARAMETERS,
        }],
      }],
    }),
    history: "contents",
    question: { role: "user", parts: [{ text: QUESTION }] },
    calls: callsOf("fc-1", "fc-2"),
    ownIds: withId,
    reasoning: THOUGHTS.join(""),
    answer: (calls) =>
      toAnswer([
        ...THOUGHTS.map((text) => ({ text, thought: true })),
        ...toCallParts(calls, withId),
      ], { finishReason: "STOP" }),
    stream: (calls) =>
      toEventStream([
        ...THOUGHTS.map((text) => toAnswer([{ text, thought: true }])),
        ...toCallParts(calls, withId).map((part) => toAnswer([part])),
        toAnswer([{ text: "" }], { finishReason: "STOP" }),
      ]),
    // Results are sent in the order of the calls.
    back: ({ calls, whole }) => [
      { role: "model", parts: toCallParts(calls, withId, whole ? SIGNATURE : LOST) },
      {
        role: "user",
        parts: calls.map((call) => ({
          functionResponse: {
            ...toIdentity(call, withId),
            response: { celsius: call.celsius },
          },
        })),
      },
    ],
  } satisfies Partial<Loop>;
}

function methodOf(stream: boolean): string {
  return stream ? "streamGenerateContent?alt=sse" : "generateContent";
}

export const gemini: Loop = {
  ...geminiLoop(true),
  name: "gemini",
  provider: (url) => providerAt("gemini", `${url}/v1beta`, MODEL),
  path: (stream) => `/v1beta/models/${MODEL}:${methodOf(stream)}`,
};

export const geminiOnVertex: Loop = {
  ...geminiLoop(false),
  name: "vertex, Gemini",
  provider: (url) =>
    providerAt("vertex", `${url}/v1`, MODEL, { project: "ours", location: "europe-west4" }),
  path: (stream) =>
    `/v1/projects/ours/locations/europe-west4/publishers/google/models/${MODEL}:` +
    methodOf(stream),
};

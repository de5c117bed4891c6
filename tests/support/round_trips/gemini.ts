/** Gemini's API: https://ai.google.dev/api/generate-content (2026-11-26). */

import { isObject, type JsonObject } from "../../../src/contract/chat.ts";
import type {
  Answer,
  AnswerCall,
  Conversation,
  Finish,
  Format,
  LikelyToken,
  Part,
  Token,
  Turn,
} from "./conversation.ts";
import { CallOrder } from "./members.ts";
import { dataOf, list, mediaOf, toEvents, toMedia } from "./wire.ts";

const FINISHES: readonly (readonly [Finish, string])[] = [
  ["calls", "STOP"],
  ["filter", "SAFETY"],
  ["length", "MAX_TOKENS"],
  ["stop", "STOP"],
];

export const gemini: Format = {
  name: "Gemini",
  has: new Set([
    ...["audio", "cached tokens", "choice of tools", "file", "filter"] as const,
    ...[
      "image by URL",
      "image in results",
      "order of parts",
      "penalties",
      "reasoning tokens",
    ] as const,
    ...["logprobs", "seed", "stop", "top_k"] as const,
  ]),
  // Images by URL are downloaded for it.
  lacks: {
    plain: ["image by URL", "image in results"],
    reasoning: ["image by URL", "penalties"],
  },
  provider: { kind: "gemini" },
  models: { plain: "gemini-2.0-flash", reasoning: "gemini-3.5-flash" },

  writeRequest(asked, model, stream) {
    const { system, turns, tools, choice, schema, effort } = asked;
    const config = {
      maxOutputTokens: asked.maxTokens,
      temperature: asked.temperature,
      topP: asked.topP,
      topK: asked.topK,
      seed: asked.seed,
      stopSequences: asked.stop,
      presencePenalty: asked.presencePenalty,
      frequencyPenalty: asked.frequencyPenalty,
      responseLogprobs: asked.logprobs && true,
      logprobs: asked.logprobs,
      ...(schema && { responseMimeType: "application/json", responseJsonSchema: schema }),
      ...(effort && { thinkingConfig: { thinkingLevel: effort, includeThoughts: true } }),
    };
    const body = {
      systemInstruction: system === undefined ? undefined : { parts: [{ text: system }] },
      contents: toContents(turns),
      tools: tools.length === 0 ? undefined : [{
        functionDeclarations: tools.map((
          { name, description, parameters: parametersJsonSchema },
        ) => ({ name, description, parametersJsonSchema })),
      }],
      toolConfig: choice && { functionCallingConfig: toChoice(choice) },
      generationConfig: config,
    };
    const method = stream ? "streamGenerateContent?alt=sse" : "generateContent";
    return { path: `/v1beta/models/${model}:${method}`, body };
  },

  readRequest(body) {
    const config = isObject(body.generationConfig) ? body.generationConfig : {};
    const { systemInstruction: system, toolConfig: tools } = body;
    const thinking = isObject(config.thinkingConfig) ? config.thinkingConfig : {};
    return {
      system: isObject(system) ? textOf(list(system.parts)) : undefined,
      turns: readTurns(list(body.contents)),
      tools: list(body.tools).flatMap(({ functionDeclarations }) => list(functionDeclarations))
        .map(({ name, description, parametersJsonSchema, parameters }) => ({
          ...{ name, description, parameters: parametersJsonSchema ?? parameters },
        })),
      choice: isObject(tools) ? readChoice(tools.functionCallingConfig as JsonObject) : undefined,
      maxTokens: config.maxOutputTokens as number,
      temperature: config.temperature as number,
      topP: config.topP as number,
      topK: config.topK as number,
      seed: config.seed as number,
      stop: config.stopSequences as string[],
      presencePenalty: config.presencePenalty as number,
      frequencyPenalty: config.frequencyPenalty as number,
      logprobs: config.logprobs as number,
      schema: (config.responseJsonSchema ?? config.responseSchema) as JsonObject | undefined,
      effort: typeof thinking.thinkingLevel === "string"
        ? thinking.thinkingLevel.toLowerCase() as Conversation["effort"]
        : undefined,
    };
  },

  writeAnswer(answer) {
    const { thoughts, text, calls } = answer;
    const parts = [
      ...(thoughts.length === 0 ? [] : [{ text: thoughts.join(""), thought: true }]),
      ...(text.length === 0 ? [] : [{ text: text.join("") }]),
      ...calls.map(toCall),
    ];
    return toResponse(answer, parts, finishOf(answer), answer.logprobs);
  },

  readAnswer: (response) => readResponses([response]),

  streamType: "text/event-stream",

  writeStream(answer) {
    const parts = [
      ...answer.thoughts.map((text) => ({ text, thought: true })),
      ...answer.text.map((text) => ({ text })),
      ...answer.calls.map(toCall),
    ];
    const last = parts.length - 1;
    return toEvents(
      parts.map((part, at) =>
        toResponse(
          answer,
          [part],
          at === last ? finishOf(answer) : undefined,
          answer.logprobs.filter(({ token }) => token === part.text),
        )
      ),
    );
  },

  readStream: (text) => readResponses(dataOf(text)),
};

function toCall({ id, name, pieces }: AnswerCall): JsonObject {
  return { functionCall: { id, name, args: JSON.parse(pieces.join("")) } };
}

function finishOf({ finish }: Answer): string | undefined {
  return FINISHES.find(([name]) => name === finish)?.[1];
}

/** Tokens of thoughts are counted beside those of candidates. */
function toResponse(
  { usage: { input, output, cached, reasoning } }: Answer,
  parts: readonly JsonObject[],
  finishReason: string | undefined,
  tokens: readonly Token[],
): JsonObject {
  return {
    candidates: [{
      ...{ index: 0, content: { role: "model", parts } },
      ...(finishReason && { finishReason }),
      ...(tokens.length > 0 && { logprobsResult: toLogprobs(tokens) }),
    }],
    usageMetadata: {
      ...{ promptTokenCount: input, candidatesTokenCount: output - reasoning },
      ...{ totalTokenCount: input + output, cachedContentTokenCount: cached },
      thoughtsTokenCount: reasoning,
    },
    ...{ modelVersion: "vendor-model", responseId: "response-vendor" },
  };
}

function readResponses(responses: readonly JsonObject[]): Answer {
  const candidates = responses.flatMap(({ candidates }) => list(candidates));
  const parts = candidates.flatMap(({ content }) => list(content?.parts));
  const texts = parts.filter(({ text }) => typeof text === "string" && text !== "");
  const calls = parts.flatMap(({ functionCall }) => isObject(functionCall) ? [functionCall] : []);
  const reason = candidates.findLast(({ finishReason }) => finishReason)?.finishReason;
  const finish = FINISHES.find(([name, word]) =>
    word === reason && (name === "calls") === (calls.length > 0 && word === "STOP")
  )?.[0];
  const usage = responses.findLast(({ usageMetadata }) => usageMetadata)?.usageMetadata;
  if (finish === undefined || !isObject(usage)) throw new TypeError(JSON.stringify(responses));
  const thoughtsTokens = Number(usage.thoughtsTokenCount ?? 0);
  return {
    logprobs: candidates.flatMap(({ logprobsResult }) => readLogprobs(logprobsResult)),
    thoughts: texts.filter(({ thought }) => thought).map(({ text }) => text),
    text: texts.filter(({ thought }) => !thought).map(({ text }) => text),
    calls: calls.map(({ id, name, args }) => ({
      ...{ id: String(id), name: String(name), pieces: [JSON.stringify(args)] },
    })),
    finish,
    usage: {
      input: Number(usage.promptTokenCount),
      output: Number(usage.candidatesTokenCount) + thoughtsTokens,
      cached: Number(usage.cachedContentTokenCount ?? 0),
      reasoning: thoughtsTokens,
    },
  };
}

function toLogprobs(tokens: readonly Token[]): JsonObject {
  const write = ({ token, logprob: logProbability }: LikelyToken) => ({ token, logProbability });
  return {
    topCandidates: tokens.map(({ top }) => ({ candidates: top.map(write) })),
    chosenCandidates: tokens.map(write),
  };
}

function readLogprobs(result: unknown): Token[] {
  const { chosenCandidates: chosen, topCandidates: top } = isObject(result) ? result : {};
  const read = (token: { readonly token: string; readonly logProbability: number }) => ({
    ...{ token: token.token, logprob: token.logProbability },
  });
  return list(chosen).map((token, at) => ({
    ...{ ...read(token), top: list(list(top)[at]?.candidates).map(read) },
  }));
}

const MODES = { auto: "AUTO", none: "NONE", required: "ANY" } as const;

function toChoice(choice: NonNullable<Conversation["choice"]>): JsonObject {
  return typeof choice === "object"
    ? { mode: "ANY", allowedFunctionNames: [choice.name] }
    : { mode: MODES[choice] };
}

function readChoice({ mode, allowedFunctionNames: names }: JsonObject): Conversation["choice"] {
  if (Array.isArray(names)) return { name: names.join() };
  const [own] = Object.entries(MODES).find(([, word]) => word === mode) ?? [];
  return own as Conversation["choice"];
}

function toContents(turns: readonly Turn[]): JsonObject[] {
  const order = new CallOrder();
  return turns.map((turn): JsonObject => {
    if (turn.role === "user") return { role: "user", parts: turn.parts.map(toPart) };
    if (turn.role === "tool") {
      const parts = turn.results.map(({ of, parts: [first, ...others] }) => ({
        functionResponse: {
          ...{ id: order.idOf(of), name: order.nameOf(of) },
          response: { result: first !== undefined && "text" in first ? first.text : "" },
          ...(others.length > 0 && { parts: others.map(toPart) }),
        },
      }));
      return { role: "user", parts };
    }
    const parts = [
      ...(turn.text === "" ? [] : [{ text: turn.text }]),
      ...turn.calls.map((call) => {
        const { id, name, input: args } = order.add(call);
        return { functionCall: { id, name, args } };
      }),
    ];
    return { role: "model", parts };
  });
}

function toPart(part: Part): JsonObject {
  if ("text" in part) return { text: part.text };
  if ("imageUrl" in part) return { fileData: { mimeType: "image/png", fileUri: part.imageUrl } };
  const { type: mimeType, data } = mediaOf(part) ?? {};
  const displayName = "file" in part ? { displayName: part.name } : {};
  return { inlineData: { mimeType, data, ...displayName } };
}

function textOf(parts: readonly JsonObject[]): string {
  return parts.map(({ text }) => text ?? "").join("");
}

function readTurns(contents: readonly JsonObject[]): Turn[] {
  const order = new CallOrder();
  return contents.map(({ role, parts: all }): Turn => {
    const parts = list(all);
    if (role === "model") {
      const calls = parts.flatMap(({ functionCall: call }) =>
        isObject(call)
          ? [
            order.add({
              ...(call.id !== undefined && { id: String(call.id) }),
              ...{ name: String(call.name), input: call.args as JsonObject },
            }),
          ]
          : []
      );
      return { role: "assistant", text: textOf(parts), calls };
    }
    const results = parts.flatMap(({ functionResponse: result }) =>
      isObject(result)
        ? [{
          of: order.positionOf(result.id, String(result.name)),
          parts: [
            { text: Object.values(result.response as JsonObject).join() },
            ...readParts(result.parts),
          ],
        }]
        : []
    );
    return results.length > 0
      ? { role: "tool", results }
      : { role: "user", parts: readParts(parts) };
  });
}

function readParts(parts: unknown): Part[] {
  return list(parts).map(({ text, inlineData: media, fileData: file }): Part => {
    if (typeof text === "string") return { text };
    if (isObject(file)) return { imageUrl: String(file.fileUri) };
    return toMedia(media.mimeType, media.data, media.displayName);
  });
}

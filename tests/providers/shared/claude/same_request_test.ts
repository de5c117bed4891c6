/** One request to a Claude model comes to the same conversation at every API that serves Claude. */

import { assert, assertEquals } from "@std/assert";
import { fuzz } from "../../../support/fuzz.ts";
import { Random } from "../../../support/random.ts";
import { randomRequest } from "../../../support/requests.ts";
import { senderTo } from "../../../support/sending.ts";

type Json = Record<string, unknown>;

/** One model under the names that the APIs have for it. */
const MODELS = [
  ["claude-opus-4-8", "anthropic.claude-opus-4-8-v1"],
  ["claude-haiku-4-5-20251001", "anthropic.claude-haiku-4-5-20251001-v1:0"],
  ["claude-3-haiku-20240307", "anthropic.claude-3-haiku-20240307-v1:0"],
] as const;

for (const [anthropicName, bedrockName] of MODELS) {
  Deno.test(`${anthropicName}: turns, thinking, sampling and tools are the same at Anthropic, Vertex and Bedrock`, async () => {
    let compared = 0;
    const tried = await fuzz(100, async (random) => {
      const request = withPrefill(randomRequest(random, anthropicName), random);
      // Vertex has no schemas for answers, and Bedrock has them for other models than Anthropic.
      delete request.response_format;
      const [own, vertex, bedrock] = [
        await sentBy.anthropic(request),
        await sentBy.vertex(request),
        await sentBy.bedrock({ ...request, model: bedrockName }),
      ];
      assertEquals([own === undefined, vertex === undefined], [
        bedrock === undefined,
        own === undefined,
      ]);
      if (own === undefined || vertex === undefined || bedrock === undefined) return;
      assertEquals(readMessages(vertex), readMessages(own));
      assertEquals(readConverse(bedrock), readMessages(own), JSON.stringify(request));
      compared++;
    });
    assert(compared > tried / 2, `${compared} of ${tried} requests were sent`);
  });
}

function withPrefill(request: Json, random: Random): Json {
  const messages = request.messages as Json[];
  if (random.chance(0.2)) messages.unshift({ role: "assistant", content: "Hello." });
  if (random.chance(0.3)) messages.push({ role: "assistant", content: "The weather is  " });
  return request;
}

const CLAUDE = { base_url: "http://vendor.test", models: MODELS.flat() };

/** The body that a provider is sent; undefined if the request is refused. */
const sentBy = {
  anthropic: senderTo({ ...CLAUDE, kind: "anthropic" }),
  vertex: senderTo({ ...CLAUDE, kind: "vertex" }),
  bedrock: senderTo({ ...CLAUDE, kind: "bedrock", region: "us-east-1" }),
};

/** A conversation, and what stands beside it, without the words of an API. */
interface Common {
  readonly turns: readonly (readonly unknown[])[];
  readonly system: string;
  readonly thinking: unknown;
  readonly effort: unknown;
  readonly sampling: readonly unknown[];
  readonly stops: unknown;
  readonly tools: readonly unknown[];
}

function readMessages(body: Json): Common {
  const { messages, system, thinking, output_config, temperature, top_p, top_k } = body;
  // Converse has no word for a choice of no tool: it is sent none where none was called before.
  const isIdle = (body.tool_choice as Json | undefined)?.type === "none";
  const tools = isIdle ? [] : body.tools as Json[] ?? [];
  return {
    turns: (messages as Json[]).map(({ role, content }) => [
      role,
      ...(content as Json[]).map((block) => [
        block.type,
        block.text ?? block.name ?? block.tool_use_id ?? (block.source as Json).data,
        block.input,
      ]),
    ]),
    system: instructionsIn(String(system ?? "")),
    thinking,
    effort: (output_config as Json | undefined)?.effort,
    sampling: [temperature, top_p, top_k],
    stops: body.stop_sequences,
    tools: tools.map(({ name, input_schema }) => [name, input_schema]),
  };
}

const KINDS: Readonly<Record<string, string>> = {
  text: "text",
  image: "image",
  toolUse: "tool_use",
  toolResult: "tool_result",
};

function readConverse(body: Json): Common {
  const { messages, system, inferenceConfig, additionalModelRequestFields, toolConfig } = body;
  const { temperature, topP, stopSequences } = (inferenceConfig ?? {}) as Json;
  const { thinking, output_config, top_k } = (additionalModelRequestFields ?? {}) as Json;
  const isIdle = /Do not call any tool/.test(JSON.stringify(system ?? ""));
  const tools = isIdle ? [] : ((toolConfig ?? {}) as Json).tools as { toolSpec: Json }[];
  return {
    turns: (messages as Json[]).map(({ role, content }) => [
      role,
      ...(content as Json[]).map((block) => {
        const [kind = "", value] = Object.entries(block)[0] ?? [];
        if (typeof value === "string") return [KINDS[kind], value, undefined];
        const { name, toolUseId, source, input } = value as Json;
        return [KINDS[kind], name ?? toolUseId ?? (source as Json).bytes, input];
      }),
    ]),
    system: instructionsIn((system as Json[] ?? []).map(({ text }) => text).join("\n\n")),
    thinking,
    effort: (output_config as Json | undefined)?.effort,
    sampling: [temperature, topP, top_k],
    stops: stopSequences,
    tools: (tools ?? []).map(({ toolSpec: { name, inputSchema } }) => [
      name,
      (inputSchema as Json).json,
    ]),
  };
}

/** Converse has no field for a choice of no tool: an instruction says it. */
function instructionsIn(system: string): string {
  return system.replace(/(?:\n\n)?Do not call any tool: answer in words\.$/, "");
}

/** Thoughts, texts and calls that alternate in an answer keep their order in other formats. */

import { assertEquals } from "@std/assert";
import type { JsonObject } from "../../../src/contract/chat.ts";
import { createTestGateway } from "../../support/gateway.ts";
import { ScriptedVendor } from "../../support/scripted_vendor.ts";

type Said = readonly [type: "thinking" | "text" | "call", text: string];

const ORDER: readonly Said[] = [
  ["thinking", "First. "],
  ["text", "Hello. "],
  ["thinking", "Then. "],
  ["text", "Again."],
  ["call", "Oslo"],
  ["call", "Rome"],
];

const TOOL = "weather";

/** A vendor: its provider, and its answer with these blocks. */
interface Vendor {
  readonly provider: JsonObject;
  answer(said: readonly Said[]): JsonObject;
}

const VENDORS: Readonly<Record<string, Vendor>> = {
  anthropic: {
    provider: { kind: "anthropic" },
    answer: (said) => ({
      ...{ id: "msg_1", type: "message", role: "assistant", model: "m", stop_reason: "tool_use" },
      usage: { input_tokens: 1, output_tokens: 1 },
      content: said.map(([type, text], at) =>
        type === "thinking"
          ? { type, thinking: text, signature: `sig${at}` }
          : type === "text"
          ? { type, text }
          : { type: "tool_use", id: `toolu_${at}`, name: TOOL, input: { city: text } }
      ),
    }),
  },
  bedrock: {
    provider: { kind: "bedrock", region: "us-east-1" },
    answer: (said) => ({
      stopReason: "tool_use",
      usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 },
      output: {
        message: {
          role: "assistant",
          content: said.map(([type, text], at) =>
            type === "thinking"
              ? { reasoningContent: { reasoningText: { text, signature: `sig${at}` } } }
              : type === "text"
              ? { text }
              : { toolUse: { toolUseId: `t${at}`, name: TOOL, input: { city: text } } }
          ),
        },
      },
    }),
  },
  gemini: {
    provider: { kind: "gemini" },
    answer: (said) => ({
      candidates: [{
        finishReason: "STOP",
        content: {
          role: "model",
          parts: said.map(([type, text]) =>
            type === "call"
              ? { functionCall: { name: TOOL, args: { city: text } }, thoughtSignature: "c2ln" }
              : { text, ...(type === "thinking" && { thought: true }) }
          ),
        },
      }],
      usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
    }),
  },
  openai: {
    provider: { kind: "openai", api: "responses" },
    answer: (said) => ({
      ...{ id: "resp_1", object: "response", created_at: 1, model: "m", status: "completed" },
      usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2 },
      output: said.map(([type, text], at) =>
        type === "thinking"
          ? {
            ...{ type: "reasoning", id: `rs_${at}`, encrypted_content: `enc${at}` },
            summary: [{ type: "summary_text", text }],
          }
          : type === "text"
          ? {
            ...{ type: "message", id: `msg_${at}`, role: "assistant", status: "completed" },
            content: [{ type: "output_text", text, annotations: [] }],
          }
          : {
            ...{ type: "function_call", id: `fc_${at}`, call_id: `call_${at}`, name: TOOL },
            arguments: JSON.stringify({ city: text }),
          }
      ),
    }),
  },
};

/** A caller's format: the request, and what the answer says in which order. */
interface Caller {
  /** The vendor whose own format it is. */
  readonly native: string;
  readonly path: string;
  readonly body: JsonObject;
  read(answer: JsonObject): Said[];
}

const PARAMETERS = { type: "object", properties: { city: { type: "string" } } };

const CALLERS: Readonly<Record<string, Caller>> = {
  messages: {
    native: "anthropic",
    path: "/v1/messages",
    body: {
      ...{ model: "m", max_tokens: 9999, thinking: { type: "enabled", budget_tokens: 2000 } },
      messages: [{ role: "user", content: "Hi" }],
      tools: [{ name: TOOL, input_schema: PARAMETERS }],
    },
    read: ({ content }) =>
      (content as JsonObject[]).map(({ type, thinking, text, input }): Said => {
        if (type === "tool_use") return ["call", String((input as JsonObject).city)];
        return type === "thinking" ? [type, String(thinking)] : ["text", String(text)];
      }) // A thought without text only has the state of the calls after it.
        .filter(([, text]) => text !== ""),
  },
  responses: {
    native: "openai",
    path: "/v1/responses",
    body: {
      ...{ model: "m", input: "Hi", reasoning: { effort: "low", summary: "auto" } },
      ...{ include: ["reasoning.encrypted_content"], store: false },
      tools: [{ type: "function", name: TOOL, parameters: PARAMETERS, strict: false }],
    },
    read: ({ output }) =>
      (output as JsonObject[]).flatMap((item): Said[] => {
        if (item.type === "function_call") {
          return [["call", JSON.parse(String(item.arguments)).city]];
        }
        const type = item.type === "reasoning" ? "thinking" : "text";
        // The last item only has the state.
        return ((item.summary ?? item.content) as JsonObject[])
          .map(({ text }): Said => [type, String(text)]);
      }),
  },
  gemini: {
    native: "gemini",
    path: "/v1beta/models/m:generateContent",
    body: {
      contents: [{ role: "user", parts: [{ text: "Hi" }] }],
      generationConfig: { thinkingConfig: { includeThoughts: true } },
      tools: [{ functionDeclarations: [{ name: TOOL, parametersJsonSchema: PARAMETERS }] }],
    },
    read({ candidates }) {
      const [{ content }] = candidates as [{ content: { parts: JsonObject[] } }];
      return content.parts.map(({ text, thought, functionCall }): Said => {
        if (functionCall !== undefined) {
          return ["call", String(((functionCall as JsonObject).args as JsonObject).city)];
        }
        return [thought === true ? "thinking" : "text", String(text)];
      });
    },
  },
};

async function converse(
  vendor: Vendor,
  caller: Caller,
  said: readonly Said[],
): Promise<JsonObject> {
  const { fetch } = new ScriptedVendor(() => Response.json(vendor.answer(said)));
  const provider = { api_key: "k", models: ["m"], ...vendor.provider };
  const gateway = createTestGateway({ config: { providers: { p: provider } }, fetch });
  const response = await gateway.call(caller.path, caller.body);
  const answer = await response.json();
  assertEquals(response.status, 200, JSON.stringify(answer));
  return answer;
}

for (const [name, caller] of Object.entries(CALLERS)) {
  for (const [kind, vendor] of Object.entries(VENDORS)) {
    if (caller.native === kind) continue;
    Deno.test(`${kind} to ${name}: thoughts, texts and calls that alternate keep their order`, async () => {
      assertEquals(caller.read(await converse(vendor, caller, ORDER)), ORDER);
      // A thought between two calls, and one alone at the end.
      const others: readonly Said[] = [
        ["call", "Oslo"],
        ["thinking", "Between."],
        ["call", "Rome"],
        ["text", "End."],
      ];
      assertEquals(caller.read(await converse(vendor, caller, others)), others);
    });

    Deno.test(`${kind} to ${name}: thoughts of the usual order are one block each`, async () => {
      const usual = ORDER.filter((_, at) => at === 0 || at === 1 || at === 4);
      assertEquals(caller.read(await converse(vendor, caller, usual)), usual);
    });
  }
}

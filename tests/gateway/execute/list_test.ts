/** The list of operations, with a test double for one more. */

import type { Capability } from "../../../src/contract/model_facts.ts";
import { assert, assertEquals, assertThrows } from "@std/assert";
import type { Target } from "../../../src/config/config.ts";
import { GatewayError } from "../../../src/core/errors.ts";
import { OPERATIONS } from "../../../src/gateway/execute/list.ts";
import { adapters } from "../../../src/providers/registry.ts";
import { toMarkdown, toMatrix, toText } from "../../../src/providers/support_matrix.ts";
import type { OperationKind } from "../../../src/gateway/operation_kind.ts";
import { createTestGateway } from "../../support/gateway.ts";
import { ScriptedVendor } from "../../support/scripted_vendor.ts";
import { checkOperation } from "../../../src/gateway/operation.ts";
import type { OperationName } from "../../../src/contract/operations.ts";

/** An operation that does not exist. Its name and capability are not in the types yet. */
const DRAWINGS: OperationKind = {
  name: "drawings" as OperationName,
  noun: "drawings",
  endpoints: [{
    path: "/v1/drawings",
    explainedAs: "drawings",
    schema: { shape: {} },
    describe: () => ({ tag: "Media", summary: "Draw", answers: {}, example: {} }),
    read: () => ({
      models: { model: "m" },
      stream: false,
      caller: { api: { format: "drawings", idPrefix: "", operation: "chat" }, body: {} },
      createOperation: () => Promise.reject(),
    }),
  }],
  models: { capability: "drawings" as Capability, noun: "a drawing model" },
  support: {
    group: { member: "drawings", title: "Drawings" },
    parameters: ["size"],
    contentMember: "inputs",
    contents: [],
    tablesOf: ({ kind }) =>
      kind === "mock"
        ? {
          parameters: { size: { level: "renamed", to: "pixels" } },
          contents: {},
          extensions: {},
          adds: {},
        }
        : undefined,
    isUsual: () => false,
  },
};
const KINDS = [...OPERATIONS, DRAWINGS];
const SUPPORTS = KINDS.map(({ support }) => support);

function toTarget(
  capabilities: Readonly<Record<string, boolean>>,
  operations: readonly string[] = ["chat"],
): Target {
  const adapter = {
    kind: "k",
    ...(!operations.includes("chat") && { chats: false }),
    apis: Object.fromEntries(operations.map((name) => [name, {}])),
  };
  return {
    provider: { adapter, settings: { id: "p" } },
    model: { id: "m", facts: { capabilities } },
  } as unknown as Target;
}

const CHECKS: readonly (readonly [
  name: string,
  capabilities: Readonly<Record<string, boolean>>,
  operations: readonly string[] | undefined,
  message: string | undefined,
])[] = [
  ["chat", {}, undefined, undefined],
  ["chat", { embeddings: false, drawings: false }, undefined, undefined],
  [
    "chat",
    { drawings: true },
    undefined,
    "The model 'm' is a drawing model; use POST /v1/drawings",
  ],
  [
    "drawings",
    { embeddings: true },
    ["drawings"],
    "The model 'm' is an embedding model; use POST /v1/embeddings",
  ],
  [
    "drawings",
    { drawings: false },
    ["drawings"],
    "The model 'm' has no drawings; use POST /v1/chat/completions",
  ],
  ["drawings", {}, undefined, "The provider 'p' (kind 'k') has no drawings"],
  ["drawings", { drawings: true }, ["chat", "drawings"], undefined],
  ["embeddings", {}, ["drawings"], "The provider 'p' (kind 'k') has no embeddings"],
];

for (const [name, capabilities, operations, message] of CHECKS) {
  Deno.test(`checkOperation() ${name} of ${JSON.stringify([capabilities, operations])}`, () => {
    const target = toTarget(capabilities, operations);
    const check = () => checkOperation(name as OperationName, target, KINDS);
    if (message === undefined) check();
    else assertEquals(assertThrows(check, GatewayError).message, message);
  });
}

Deno.test("the operations of a kind are chat and the members of its table", () => {
  const all = [...adapters.values()];
  for (const [index, { operations }] of toMatrix(all, SUPPORTS.slice(0, -1)).entries()) {
    const { apis, chats } = all[index] ?? {};
    const own = [...(chats === false ? [] : ["chat"]), ...Object.keys(apis ?? {})];
    assertEquals(operations.toSorted(), own.toSorted());
  }
  // A table that is not merged with that of the kind below it would lose members.
  const [gemini, vertex] = ["gemini", "vertex"].map((kind) => adapters.get(kind)?.apis ?? {});
  assertEquals(Object.keys(vertex ?? {}), [...Object.keys(gemini ?? {}), "rerank"]);
});

Deno.test("the tables show one more operation, and all others as before", () => {
  const all = [...adapters.values()];
  const before = toMatrix(all, OPERATIONS.map(({ support }) => support));
  const matrix = toMatrix(all, SUPPORTS);
  for (const [index, { drawings, operations, ...others }] of matrix.entries()) {
    const { operations: earlier = [], ...rest } = before[index] ?? {};
    assertEquals(others, rest);
    assertEquals(operations, others.kind === "mock" ? [...earlier, "drawings"] : earlier);
    const tables = {
      parameters: { size: { verdict: "renamed", to: "pixels" } },
      inputs: {},
      extensions: {},
      adds: {},
    };
    assertEquals(drawings, others.kind === "mock" ? tables : undefined);
  }
  const text = toText(all, SUPPORTS);
  assert(
    text.endsWith("Drawings\n\n              mock\nsize          renamed\nother fields  ignored"),
  );
  assertEquals(
    toMarkdown(all, DRAWINGS.support),
    "|  | mock |\n| --- | --- |\n| `size` | renamed |\n| _other fields_ | ignored |\n\n" +
      "- **mock**: `size`: as `pixels`.",
  );
});

Deno.test("each endpoint of each operation has a route, and a name for explanations", async () => {
  const endpoints = OPERATIONS.flatMap(({ endpoints }) => endpoints);
  assertEquals(new Set(endpoints.map(({ path }) => path)).size, endpoints.length);
  assertEquals(new Set(endpoints.map(({ explainedAs }) => explainedAs)).size, endpoints.length);
  const vendor = new ScriptedVendor();
  const providers = { p: { kind: "mock", models: ["m"] } };
  const gateway = createTestGateway({ config: { providers }, fetch: vendor.fetch });
  for (const { path } of endpoints) {
    const response = await gateway.call(path, {});
    await response.body?.cancel();
    assertEquals(response.status, 400, path);
  }
});

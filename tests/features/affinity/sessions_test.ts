/** Sessions of agents at vendors with a prompt cache each, through several workers without a store. */

import { assert, assertEquals } from "@std/assert";
import { MemoryUsageStore } from "../../../src/governance/ledger/memory_store.ts";
import { createTestGateway, type TestGateway } from "../../support/gateway.ts";
import { ScriptedVendor } from "../../support/scripted_vendor.ts";
import { Random } from "../../support/random.ts";

const CHAT = "/v1/chat/completions";
const AGENTS = 50;
const TURNS = 20;
const HOSTS = ["a", "b", "c", "d"];

function configOf(routing: Record<string, unknown>) {
  const providers = Object.fromEntries(HOSTS.map((id) => [id, {
    kind: "openai_compatible",
    base_url: `http://${id}.test/v1`,
    api_key: [`sk-${id}-1`, `sk-${id}-2`],
    retries: 0,
    models: [{ id: `m-${id}`, upstream: "m" }],
  }]));
  const aliases = { coder: { targets: [HOSTS.map((id) => `m-${id}`)], ...routing } };
  return { providers, aliases };
}

/** A vendor at several hosts. Each vendor key has a separate prompt cache, which lasts 5 minutes. */
class CachingVendor extends ScriptedVendor {
  readonly failing = new Set<string>();
  /** By session, the places that have served it. */
  readonly places = new Map<string, Set<string>>();
  cached = 0;
  /** What one cache for all would have read. */
  ideal = 0;
  now = 0;
  readonly #used = new Map<string, number>();

  constructor() {
    super(({ url, headers, body }) => {
      const host = new URL(url).hostname.split(".")[0] ?? "";
      if (this.failing.has(host)) return new Response("{}", { status: 503 });
      const turns = (body.messages as { content: string }[]).map(({ content }) => content);
      const place = `${host} ${headers.get("authorization")}`;
      this.#read(turns, place);
      return Response.json({
        choices: [{
          index: 0,
          message: { role: "assistant", content: "ok" },
          finish_reason: "stop",
        }],
        usage: {
          prompt_tokens: turns.length,
          completion_tokens: 1,
          total_tokens: turns.length + 1,
        },
      });
    });
  }

  #read(turns: readonly string[], place: string): void {
    const session = turns[0] ?? "";
    this.places.set(session, (this.places.get(session) ?? new Set()).add(place));
    this.cached += this.#cachedIn(place, turns);
    this.ideal += this.#cachedIn("all", turns);
  }

  /** The turns that a cache has, which then has all of them. */
  #cachedIn(cache: string, turns: readonly string[]): number {
    let cached = 0;
    for (let length = 1; length <= turns.length; length++) {
      const prefix = `${cache} ${turns.slice(0, length).join("|")}`;
      if (this.now - (this.#used.get(prefix) ?? -Infinity) < 300_000) cached = length;
      this.#used.set(prefix, this.now);
    }
    return cached;
  }
}

/** All agents take their turns, each request at another worker. */
async function run(
  vendor: CachingVendor,
  workers: readonly TestGateway[],
  onTurn: (turn: number) => void = () => {},
  turns = TURNS,
) {
  const random = new Random(7);
  for (let turn = 0; turn < turns; turn++) {
    onTurn(turn);
    for (let agent = 0; agent < AGENTS; agent++) {
      const worker = workers[Math.floor(random.next() * workers.length)];
      if (worker === undefined) throw new RangeError("There is no such worker");
      const messages = Array.from({ length: 2 * turn + 1 }, (_, at) => ({
        role: at % 2 === 0 ? "user" : "assistant",
        content: `agent ${agent}, turn ${at}`,
      }));
      const answer = await worker.call(CHAT, { model: "coder", messages });
      assertEquals(answer.status, 200, await answer.text());
    }
    vendor.now += 6000;
    for (const { clock } of workers) clock.advance(6000);
  }
}

function workersOf(vendor: CachingVendor, routing: Record<string, unknown>): TestGateway[] {
  return Array.from({ length: 8 }, (_, index) => {
    const random = new Random(index);
    const config = configOf(routing);
    return createTestGateway({ config, fetch: vendor.fetch, random: () => random.next() });
  });
}

Deno.test("50 agents, 20 turns, 8 workers: each session stays at one target and key", async () => {
  const vendor = new CachingVendor();
  await run(vendor, workersOf(vendor, { balance: "p2c", affinity: {} }));
  assertEquals(vendor.places.size, AGENTS);
  assertEquals([...vendor.places.values()].filter(({ size }) => size > 1), []);
  assert(vendor.cached >= 0.95 * vendor.ideal, `${vendor.cached / vendor.ideal}`);
  const used = new Set([...vendor.places.values()].flatMap((places) => [...places]));
  assertEquals(used.size, 8);
});

Deno.test("without affinity the same requests read little from the caches", async () => {
  const vendor = new CachingVendor();
  await run(vendor, workersOf(vendor, { balance: "p2c" }), () => {}, 8);
  assert(vendor.cached < 0.85 * vendor.ideal, `${vendor.cached / vendor.ideal}`);
});

Deno.test("a target that fails for a minute costs at most a tenth of the cached share", async () => {
  const vendor = new CachingVendor();
  await run(vendor, workersOf(vendor, { balance: "p2c", affinity: {} }), (turn) => {
    if (turn === 5) vendor.failing.add("b");
    if (turn === 15) vendor.failing.delete("b");
  });
  assert(vendor.cached >= 0.9 * vendor.ideal, `${vendor.cached / vendor.ideal}`);
});

Deno.test("the receipt, the ledger and an explanation say where a session is", async () => {
  const vendor = new CachingVendor();
  const usage = new MemoryUsageStore();
  const gateway = createTestGateway({
    config: configOf({ balance: "p2c", affinity: {} }),
    fetch: vendor.fetch,
    usage,
  });
  const ask = async (messages: { role: string; content: string }[], headers = {}) => {
    const answer = await gateway.call(CHAT, { model: "coder", messages }, headers);
    assertEquals(answer.status, 200, await answer.text());
    return [answer.headers.get("x-sluice-route"), answer.headers.get("x-sluice-provider")];
  };
  const user = { role: "user", content: "hi" };
  const assistant = { role: "assistant", content: "hi" };
  const session = { "x-session-id": "secret words" };
  const [route, home = ""] = await ask([user], session);
  assertEquals(route, "affinity");
  const explained = await gateway.call(CHAT, { model: "coder", messages: [user] }, {
    ...session,
    "x-sluice-explain": "true",
  });
  const explanation = await explained.json();
  assertEquals([explanation.route, explanation.targets[0].provider], [route, home]);
  vendor.failing.add(home ?? "");
  const [, other] = await ask([user, assistant, user], session);
  assertEquals(other, explanation.targets[1].provider);
  assertEquals(await ask([user, assistant, user], session), ["affinity, moved", other]);
  const { rows } = await usage.list({ limit: 10 });
  const columns = rows.toReversed().map((
    { affinity, session: pseudonym },
  ) => [affinity, pseudonym]);
  const pseudonym = columns[0]?.[1];
  assertEquals(columns, [["new", pseudonym], ["moved", pseudonym], ["hit", pseudonym]]);
  assert(typeof pseudonym === "string" && /^s_[0-9a-f]{16}$/.test(pseudonym));
});

/** Answers in the format of the path, each with another ID. */
function answerEach() {
  let count = 0;
  const places: string[] = [];
  const hints: unknown[] = [];
  const vendor = new ScriptedVendor(({ url, headers, body }) => {
    const { hostname, pathname } = new URL(url);
    places.push(`${hostname} ${headers.get("authorization")}`);
    hints.push(body.prompt_cache_key);
    const content = [{ type: "output_text", text: "ok", annotations: [] }];
    return Response.json(
      pathname.endsWith("/responses")
        ? {
          id: `resp_${(++count).toString().padStart(40, "0")}`,
          object: "response",
          status: "completed",
          model: "m",
          output: [{ type: "message", id: `msg_${count}`, role: "assistant", content }],
          usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2 },
        }
        : {
          choices: [{
            index: 0,
            message: { role: "assistant", content: "ok" },
            finish_reason: "stop",
          }],
        },
    );
  });
  return { vendor, places, hints };
}

for (const kind of ["openai", "openai_compatible"]) {
  for (const keys of [1, 2]) {
    const what = `at ${kind}, with ${keys} service keys`;
    Deno.test(`turns by previous_response_id stay at one target and key ${what}`, async () => {
      const { vendor, places, hints } = answerEach();
      const { providers, aliases } = configOf({ balance: "p2c", affinity: {} });
      const config = {
        providers: Object.fromEntries(
          Object.entries(providers).map(([id, provider]) => [id, { ...provider, kind }]),
        ),
        aliases,
        server: {
          keys: ["k", "l"].slice(0, keys).map((name) => ({ name, key: `sk-${name}` })),
        },
      };
      const gateway = createTestGateway({ config, fetch: vendor.fetch });
      const ask = async (body: Record<string, unknown>) => {
        const request = { model: "coder", ...body };
        const answer = await gateway.call("/v1/responses", request, {
          authorization: "Bearer sk-k",
        });
        assertEquals(answer.status, 200);
        return (await answer.json()).id as string;
      };
      for (let chain = 0; chain < 12; chain++) {
        places.length = hints.length = 0;
        let previous = await ask({ input: `Chain ${chain}` });
        const root = previous;
        for (let turn = 0; turn < 6; turn++) {
          previous = await ask({ input: `Turn ${turn}`, previous_response_id: previous });
        }
        // A branch belongs to the same conversation.
        await ask({ input: "Again", previous_response_id: root });
        assertEquals(new Set(places).size, 1, places.join("\n"));
        assertEquals(new Set(hints).size, 1);
      }
    });
  }
}

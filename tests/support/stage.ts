/** A gateway with three providers, each with its own script. */

import type { StopSignal } from "../../src/core/stop_signal.ts";
import { assertEquals } from "@std/assert";
import { hurry } from "./elapse.ts";
import { createTestGateway, SERVICE_KEY, type TestGateway, type TestOptions } from "./gateway.ts";
import { sayHello, ScriptedVendor, type Sent } from "./scripted_vendor.ts";

export const CHAT = "/v1/chat/completions";
export const MESSAGES = [{ role: "user", content: "Hi" }];

/** The answer of a host to a request. */
export type Answer = (sent: Sent, signal: StopSignal | null) => Response | Promise<Response>;

/** When a request reached which host with which key, in milliseconds since the start. */
type Visit = readonly [number, string, string];

export interface Stage {
  readonly gateway: TestGateway;
  readonly visits: Visit[];
  readonly bodies: Record<string, unknown>[];
  /** Sends a request and advances the time until it is answered. */
  ask(members?: Record<string, unknown>, headers?: Record<string, string>): Promise<Told>;
}

/** The status and the error that the caller receives. */
interface Told {
  readonly status: number;
  readonly headers: Headers;
  readonly error: { message: string; code: string | null };
}

/**
 * Providers `a`, `b` and `c` with one model each. Every host answers from its script.
 *
 * @param others names of further service keys
 */
export function stage(
  scripts: Readonly<Record<string, Answer>>,
  members: Record<string, unknown> = {},
  aliases: Record<string, unknown> = { all: ["a", "b", "c"] },
  others: readonly string[] = [],
  options: Partial<TestOptions> = {},
): Stage {
  const visits: Visit[] = [];
  const bodies: Record<string, unknown>[] = [];
  const vendor = new ScriptedVendor(async (sent, signal) => {
    const host = new URL(sent.url).hostname;
    const key = sent.headers.get("authorization")?.replace("Bearer ", "") ?? "";
    visits.push([gateway.clock.now() - began, host, key]);
    bodies.push(sent.body);
    return await (scripts[host] ?? sayHello)(sent, signal);
  });
  const provider = (id: string) => ({
    kind: "openai_compatible",
    base_url: `http://${id}`,
    api_key: `key-${id}`,
    models: [id],
    retries: 2,
    ...members,
  });
  const keys = [SERVICE_KEY, ...others].map((key) => ({ name: key, key }));
  const providers = { a: provider("a"), b: provider("b"), c: provider("c") };
  const gateway = createTestGateway({
    config: { server: { keys }, providers, aliases },
    fetch: vendor.fetch,
    ...options,
  });
  const began = gateway.clock.now();
  return {
    gateway,
    visits,
    bodies,
    async ask(body = {}, headers = {}) {
      const request = { model: "a", messages: MESSAGES, ...body };
      const answer = await hurry(gateway.clock, gateway.call(CHAT, request, headers));
      const text = await hurry(gateway.clock, answer.text());
      assertEquals(gateway.bugs, []);
      assertEquals(gateway.clock.pending, 0, "a timer was left behind");
      const error = answer.status === 200 ? { message: "", code: null } : JSON.parse(text).error;
      return { status: answer.status, headers: answer.headers, error };
    },
  };
}

/** Fails with this status. */
export const fail =
  (status: number, headers: Record<string, string> = {}, error: unknown = {}): Answer => () =>
    Response.json({ error }, { status, headers });

/** Answers in order, and then repeats the last answer. */
export function inTurn(...answers: Answer[]): Answer {
  let turn = 0;
  return (sent, signal) =>
    (answers[Math.min(turn++, answers.length - 1)] ?? sayHello)(sent, signal);
}

/** Never answers. */
export const hang: Answer = (_, signal) =>
  new Promise((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason)));

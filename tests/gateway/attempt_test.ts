/** Attempts of one request that run at the same time. */

import { Shutdown, type StopSignal } from "../../src/core/stop_signal.ts";
import { assertEquals, assertRejects } from "@std/assert";
import type { Target } from "../../src/config/config.ts";
import { GatewayError } from "../../src/core/errors.ts";
import { chatCompletions } from "../../src/apis/chat_completions/format.ts";
import { messages } from "../../src/apis/messages/format.ts";
import { OPERATIONS } from "../../src/gateway/execute/list.ts";
import { Attempt, type AttemptAnswer } from "../../src/gateway/attempt.ts";
import { AttemptState } from "../../src/gateway/attempt_state.ts";
import type { Operation } from "../../src/gateway/operation.ts";
import { RequestRecord } from "../../src/gateway/request_record.ts";
import { State } from "../../src/gateway/state.ts";
import { Credentials } from "../../src/upstream/credentials/credentials.ts";
import { countedIds, loadTestConfig } from "../support/gateway.ts";
import { ManualClock } from "../support/manual_clock.ts";
import { until } from "../support/elapse.ts";

const config = loadTestConfig({
  providers: {
    p: { kind: "openai_compatible", base_url: "http://p.test/v1", models: ["a", "b"] },
  },
});

function targetOf(name: string): Target {
  const [found] = config.resolve(name) ?? [];
  if (found === undefined) throw new RangeError(`No model '${name}'`);
  return found.target;
}

/** Asks for one text. Only attempts at `b` answer in the format of messages. */
const operation: Operation = {
  name: "chat",
  prepare({ model, provider: { adapter } }, { attempt, changes }) {
    if (model.id === "b") attempt.format = messages;
    changes.ignore(`only_${model.id}`);
    return Promise.resolve({
      adapter,
      stream: false,
      async execute(session) {
        const request = { url: `http://p.test/${model.id}`, headers: {}, body: {} };
        const response = await session.send({ ...request, auth: { type: "none" } });
        const text = await session.readText(response);
        const usage = { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 };
        return { type: "text", text, usage, summary: { id: "", model: "", finishReasons: [] } };
      },
    });
  },
};

/** Runs all steps of an attempt. */
async function run(attempt: Attempt): Promise<AttemptAnswer> {
  try {
    attempt.begin(await attempt.prepare(), attempt.clock.now());
    for (;;) {
      const result = await attempt.received(await attempt.next());
      if (result !== undefined) return attempt.answered(result, 0);
    }
  } catch (thrown) {
    throw attempt.failed(thrown);
  }
}

/** What an attempt has written. */
const written = (state: AttemptState) => ({
  format: state.format.name,
  ignored: [...state.changes.ignored],
  requests: state.requests,
  id: state.upstreamRequestId,
  usage: state.usage?.total_tokens,
  chars: state.outputChars,
  cutMs: state.cutMs,
});

Deno.test("two attempts at the same time write neither each other nor the record", async () => {
  const clock = new ManualClock();
  const record = new RequestRecord(
    "req_1",
    new AbortController().signal,
    0,
    chatCompletions,
    () => {},
  );
  const answers = new Map<string, (response: Response) => void>();
  const deps = {
    fetch: (url: string, { signal }: { signal: StopSignal }) =>
      new Promise<Response>((resolve, reject) => {
        answers.set(url.slice(-1), resolve);
        signal.addEventListener("abort", () => reject(signal.reason), { once: true });
      }),
    clock,
    newId: countedIds(),
    state: new State(),
    credentials: new Credentials({ readFile: () => "" }),
    download: () => Promise.reject(new Error("no images here")),
    random: () => 0.5,
    shutdown: new Shutdown(),
    operations: OPERATIONS,
  };
  const before = JSON.stringify(record, (name, value) => name === "signal" ? undefined : value);
  const begin = (name: string, ms: number) => {
    const end = clock.now() + ms;
    const target = targetOf(name);
    const state = new AttemptState(target, chatCompletions, clock);
    const { signal } = record;
    const known = deps.state.targetOf(target);
    const input = { target, known, key: undefined, operation, strict: false, end, signal };
    return { state, answer: run(new Attempt(input, state, record, deps, undefined)) };
  };
  const slow = begin("a", 1000);
  const fast = begin("b", 5000);
  const failure = assertRejects(() => slow.answer, GatewayError);
  await until(() => answers.size >= 2);
  clock.advance(1000);
  await failure;
  answers.get("b")?.(new Response("Hi", { headers: { "x-request-id": "vendor_b" } }));
  const { attempt: answered, deadline } = await fast.answer;
  deadline.end();
  assertEquals(answered, fast.state);
  assertEquals(written(slow.state), {
    ...{ format: "chat_completions", ignored: ["only_a"], requests: 1, id: undefined },
    ...{ usage: undefined, chars: 0, cutMs: 1000 },
  });
  assertEquals(written(fast.state), {
    ...{ format: "messages", ignored: ["only_b"], requests: 1, id: "vendor_b" },
    ...{ usage: 3, chars: 2, cutMs: undefined },
  });
  const after = JSON.stringify(record, (name, value) => name === "signal" ? undefined : value);
  assertEquals(after, before);
  assertEquals(clock.pending, 0);
});

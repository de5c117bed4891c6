/** The machine's clock is corrected while the gateway runs: dates follow it, durations do not. */

import { assert, assertEquals } from "@std/assert";
import { hurry } from "../support/elapse.ts";
import { createTestGateway, VENDOR_KEY } from "../support/gateway.ts";
import { sayHello } from "../support/scripted_vendor.ts";

const HOUR = 3_600_000;
const START = 1_700_000_000_000;
const CHAT = "/v1/chat/completions";
const MESSAGES = [{ role: "user", content: "Hi" }];

for (const correction of [HOUR, -HOUR]) {
  const which = correction > 0 ? "forward" : "back";

  Deno.test(`times in the log follow a clock that is set ${which}, durations do not`, async () => {
    const gateway = createTestGateway({
      config: {
        providers: {
          v: { kind: "openai", api_key: VENDOR_KEY, models: ["m"] },
          w: { kind: "openai", api_key: VENDOR_KEY, models: ["n"] },
        },
        aliases: { both: ["m", "n"] },
      },
      fetch: (url, init) => {
        gateway.clock.correct(correction);
        gateway.clock.advance(100);
        const body = JSON.parse(String(init.body));
        const busy = () => Response.json({ error: { message: "Busy" } }, { status: 503 });
        return Promise.resolve(body.model === "m" ? busy() : sayHello({ url, body }));
      },
    });
    const answer = await gateway.call(CHAT, { model: "both", messages: MESSAGES });
    await answer.text();
    assertEquals(answer.status, 200);
    const times = gateway.lines.map(({ time }) => Date.parse(String(time)) - START);
    const first = correction + 100;
    assertEquals(times, [first, 2 * first, 2 * first]);
    assertEquals(gateway.lines.map(({ ms }) => ms), [100, 100, 200]);
  });

  Deno.test(`a request is signed with the date of a clock that was set ${which}`, async () => {
    const dates: (string | undefined)[] = [];
    const gateway = createTestGateway({
      config: {
        providers: {
          aws: {
            kind: "bedrock",
            region: "us-east-1",
            access_key_id: "AKIDEXAMPLE",
            secret_access_key: "a-secret-access-key",
            models: ["amazon.nova-lite-v1:0"],
          },
        },
      },
      fetch: (_, { headers }) => {
        dates.push(headers["x-amz-date"]);
        return Promise.resolve(Response.json({ message: "No" }, { status: 400 }));
      },
    });
    const ask = async () =>
      await (await gateway.call(CHAT, { model: "amazon.nova-lite-v1:0", messages: MESSAGES }))
        .text();
    await ask();
    gateway.clock.correct(correction);
    await ask();
    const expected = correction > 0 ? "20231114T231320Z" : "20231114T211320Z";
    assertEquals(dates, ["20231114T221320Z", expected]);
  });
}

Deno.test("the generated `created` is the time of the machine's clock", async () => {
  const gateway = createTestGateway({
    config: {
      providers: { claude: { kind: "anthropic", api_key: VENDOR_KEY, models: ["m"] } },
    },
    fetch: () =>
      Promise.resolve(Response.json({
        id: "msg_1",
        type: "message",
        role: "assistant",
        model: "m",
        content: [{ type: "text", text: "Hello" }],
        stop_reason: "end_turn",
        usage: { input_tokens: 1, output_tokens: 1 },
      })),
  });
  gateway.clock.correct(HOUR);
  const answer = await gateway.call(CHAT, { model: "m", messages: MESSAGES });
  assertEquals((await answer.json()).created, (START + HOUR) / 1000);
});

Deno.test("a date in `retry-after` is compared with the machine's clock", async () => {
  const waits: number[] = [];
  const gateway = createTestGateway({
    config: {
      providers: { v: { kind: "openai", api_key: VENDOR_KEY, models: ["m"], retries: 1 } },
    },
    fetch: () => {
      waits.push(gateway.clock.now() - START);
      // Two seconds later than the corrected clock says.
      const date = new Date(START + HOUR + 2000).toUTCString();
      return Promise.resolve(
        Response.json({ error: { message: "Slow down" } }, {
          status: 429,
          headers: { "retry-after": date },
        }),
      );
    },
  });
  gateway.clock.correct(HOUR);
  const answering = gateway.call(CHAT, { model: "m", messages: MESSAGES });
  await (await hurry(gateway.clock, answering)).text();
  assertEquals(waits.length, 2);
  const [first = 0, second = 0] = waits;
  assert(Math.abs(second - first - 2000) <= 25, `it waited ${second - first} ms`);
});

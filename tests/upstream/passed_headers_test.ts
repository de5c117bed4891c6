/** What a vendor's headers and errors may tell a caller: bounded, and nothing of our credentials. */

import { assert, assertEquals } from "@std/assert";
import { createTestGateway, loadTestConfig, VENDOR_KEY } from "../support/gateway.ts";
import { failing, sayHello, ScriptedVendor } from "../support/scripted_vendor.ts";

const CHAT = "/v1/chat/completions";
const REQUEST = { model: "m", messages: [{ role: "user", content: "Hi" }] };

async function ask(
  vendor: ScriptedVendor,
  members: Record<string, unknown> = {},
  request: Record<string, unknown> = REQUEST,
) {
  const provider = { kind: "openai", api_key: VENDOR_KEY, models: ["m"], ...members };
  const gateway = createTestGateway({
    config: { providers: { v: provider } },
    fetch: vendor.fetch,
  });
  const response = await gateway.call(CHAT, request);
  return { response, text: await response.text(), lines: gateway.lines };
}

/** A vendor that answers well, with these headers. */
function sending(headers: Record<string, string>): ScriptedVendor {
  return new ScriptedVendor((sent) => {
    const answer = sayHello(sent);
    for (const [name, value] of Object.entries(headers)) answer.headers.set(name, value);
    return answer;
  });
}

const ECHOES = {
  "x-ratelimit-limit": `5 for ${VENDOR_KEY}`,
  "x-ratelimit-user": VENDOR_KEY.toUpperCase(),
  "x-ratelimit-basic": btoa(`user:${VENDOR_KEY}`),
  [`x-ratelimit-${VENDOR_KEY}`]: "1",
  "retry-after": VENDOR_KEY,
  "x-ratelimit-remaining": "4",
};

for (const stream of [false, true]) {
  for (const status of [200, 400]) {
    const what = `${stream ? "a stream" : "an answer"} with status ${status}`;
    Deno.test(`a key in the headers of ${what} reaches no caller, in no form`, async () => {
      const vendor = status === 200
        ? sending(ECHOES)
        : failing(status, { error: { message: "No" } }, ECHOES);
      const { response } = await ask(vendor, {}, { ...REQUEST, stream });
      assertEquals(response.status, status);
      const reported = [...response.headers].map((header) => header.join(": ")).join("\n");
      assertEquals(response.headers.get("x-ratelimit-remaining"), "4");
      assertEquals(response.headers.get("x-ratelimit-limit"), "5 for [redacted]");
      assertEquals(response.headers.get("x-ratelimit-user"), "[redacted]");
      for (const secret of [VENDOR_KEY, btoa(`user:${VENDOR_KEY}`).slice(8, -4)]) {
        assert(!reported.toLowerCase().includes(secret.toLowerCase()), reported);
      }
    });
  }
}

function limitsOf(response: Response): [string, string][] {
  return [...response.headers].filter(([name]) => name.startsWith("x-ratelimit-"));
}

Deno.test("the first 64 headers of a vendor are passed on", async () => {
  const headers = Array.from({ length: 100 }, (_, at) => [
    `x-ratelimit-${String(at).padStart(3, "0")}`,
    String(at),
  ]);
  for (const status of [200, 400]) {
    const vendor = status === 200
      ? sending(Object.fromEntries(headers))
      : failing(status, { error: { message: "No" } }, Object.fromEntries(headers));
    const { response } = await ask(vendor);
    assertEquals(limitsOf(response), headers.slice(0, 64));
  }
});

Deno.test("headers of a vendor are passed on up to a total of 8 KiB", async () => {
  const headers = Object.fromEntries(
    Array.from({ length: 20 }, (_, at) => [`x-ratelimit-${at + 10}`, "x".repeat(1000)]),
  );
  const { response } = await ask(sending(headers));
  const passed = limitsOf(response);
  assertEquals(passed.length, 8);
  assert(passed.every(([, value]) => value.length === 1000));
});

Deno.test("a vendor's code, param and request ID are truncated for the log", async () => {
  const long = "x".repeat(100_000);
  const error = { message: "No", code: long, param: long };
  const { response, text, lines } = await ask(failing(400, { error }, { "x-request-id": long }));
  const reported = JSON.parse(text).error;
  assertEquals([reported.code.length, reported.param.length], [300, 201]);
  assertEquals(response.headers.get("x-sluice-upstream-request-id")?.length, 120);
  assert(JSON.stringify(lines).length < 2000);
});

Deno.test("a key at the end of a truncated message is redacted completely", async () => {
  for (let before = 4000 - VENDOR_KEY.length - 2; before < 4002; before++) {
    const message = `${"y".repeat(before)}${VENDOR_KEY} and more`;
    const { text } = await ask(failing(400, { error: { message } }));
    const reported: string = JSON.parse(text).error.message;
    assert(reported.length <= 4000);
    assert(!reported.slice(before).includes(VENDOR_KEY.slice(0, 3)), reported.slice(before));
  }
});

for (
  const [what, members, secret] of [
    ["an AWS secret", {
      kind: "bedrock",
      api_key: undefined,
      region: "us-east-1",
      access_key_id: "AKIDEXAMPLE",
      secret_access_key: "wJalrXUtnFEMI/K7MDENG+bPxRfiCY",
    }, "wJalrXUtnFEMI/K7MDENG+bPxRfiCY"],
    ["an AWS session token", {
      kind: "bedrock",
      api_key: undefined,
      region: "us-east-1",
      access_key_id: "AKIDEXAMPLE",
      secret_access_key: "wJalrXUtnFEMI/K7MDENG+bPxRfiCY",
      session_token: "IQoJb3JpZ2luX2VjEJr//////////",
    }, "IQoJb3JpZ2luX2VjEJr//////////"],
    ["a header of the configuration", { headers: { "x-team": "team-secret-1" } }, "team-secret-1"],
    ["the token in a header of the configuration", {
      headers: { "proxy-authorization": "Basic dXNlcjpzZWNyZXQ=" },
    }, "dXNlcjpzZWNyZXQ="],
  ] as const
) {
  Deno.test(`${what} is struck out of a vendor's error, in every form`, async () => {
    const forms = [secret, secret.toLowerCase(), encodeURIComponent(secret), btoa(secret)];
    const error = { message: `It was ${forms.join(" and ")}.`, type: "invalid_request_error" };
    const { text } = await ask(failing(400, { message: error.message, error }), members);
    const reported: string = JSON.parse(text).error.message;
    assert(
      reported.startsWith("It was [redacted] and [redacted] and [redacted] and [redacted]"),
      reported,
    );
  });
}

Deno.test("a service account's private key is redacted line by line", () => {
  const [first, second] = [
    "MIIEvgIBADANBgkqhkiG9w0BAQEFAASCBKgwggSk",
    "AgEAAoIBAQC7VJTUt9Us8cKjMzEfYyjiWA4R4",
  ];
  for (const lineEnd of ["\n", "\\n"]) {
    const lines = ["-----BEGIN PRIVATE KEY-----", first, second, "-----END PRIVATE KEY-----", ""];
    const credentials = JSON.stringify({
      type: "service_account",
      client_email: "gateway@project.iam.gserviceaccount.com",
      private_key: lines.join(lineEnd),
    });
    const vertex = { kind: "vertex", project: "p", location: "global", credentials, models: ["m"] };
    const provider = loadTestConfig({ providers: { vertex } }).providers.get("vertex");
    const reported = provider?.redactor.redact(`It was ${first} and ${second?.toLowerCase()}.`);
    assertEquals(reported, "It was [redacted] and [redacted].");
  }
});

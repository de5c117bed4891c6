/** Secrets of a text are replaced by tokens; everything else stays, and can be restored. */

import { assert, assertEquals, assertMatch } from "@std/assert";
import { maskText, restoreText } from "../../../src/config/editing/masked_text.ts";

const OPTIONS = { key: new Uint8Array(32).fill(1), credentials: new Set(["api_key", "access_id"]) };
const mask = (text: string) => maskText(text, OPTIONS);

/** Texts with a secret `S3cret-…`, which must not be left. */
const SECRETS: Readonly<Record<string, string>> = {
  "a plain value": "providers:\n  a:\n    api_key: S3cret-plain # comment\n",
  "quoted values": `server: { keys: [{ name: a, key: "S3cret-one" }, { key: 'S3cret-two' }] }\n`,
  "a list": "providers: { a: { api_key: [S3cret-one, S3cret-two] } }\n",
  "a block":
    'providers:\n  v:\n    credentials: |\n      {"k": "S3cret-block"}\n    kind: vertex\n',
  "a member that only an adapter knows": "providers: { a: { access_id: S3cret-id } }\n",
  "a header": "providers: { a: { headers: { x-team: S3cret-header } } }\n",
  "an anchor": "keep: &k S3cret-anchor\nproviders: { a: { api_key: *k } }\n",
  "a default": 'providers: { a: { api_key: "${KEY:-S3cret-default}" } }\n',
  "a password in a URL": "store: postgres://user:S3cret-url@db/x\n",
  "a long name in a URL": "shared_store: redis://S3cret-token-0123@db/x\n",
  "a query of a URL": "providers: { a: { base_url: 'https://v.example/v1?key=S3cret-q' } }\n",
  "a comment": "# api_key: S3cret-comment\nkeep: 1d\n",
  "text that is not YAML": "server: [\n  api_key: S3cret-broken\n",
  "the same text in a comment":
    "# before: S3cret-one was used\nserver: { keys: [{ key: S3cret-one }] }\n",
  "an environment's assignment in a comment": "# OPENAI_API_KEY=S3cret-shell\n",
  "a long secret with quotes": 'server: { reasoning_state: { key: "S3cret\\"quoted" } }\n',
  "a name in other case": "providers: { a: { options: { Authorization: Bearer S3cret-auth } } }\n",
};

for (const [name, text] of Object.entries(SECRETS)) {
  Deno.test(`maskText() hides ${name}, and restoreText() restores it`, () => {
    const masked = mask(text);
    assert(!masked.text.includes("S3cret"), masked.text);
    assertEquals(restoreText(masked.text, masked.secrets), { text, unknown: [] });
  });
}

Deno.test("maskText() leaves references, names, numbers and comments", () => {
  const text = `# The first key
server:
  keys:
    - { name: web, key: "\${SLUICE_API_KEY}", limits: { tokens_per_minute: 100 } }
    - { name: file, key: "\${file:/run/secrets/key}" }
providers:
  secret: { kind: openai, api_key: "\${OPENAI_API_KEY}", timeout: { first_token: 5m } }
  other: { kind: mock, headers: { authorization: "Bearer \${TOKEN}" }, models: [my-key] }
aliases: { token: secret-model }
telemetry: { metric_keys: 5 }
`;
  assertEquals(mask(text).text, text);
});

Deno.test("a token depends on the secret and on the key of the process only", () => {
  const one = mask("server: { keys: [{ key: S3cret-one }] }\n").text;
  assertMatch(one, /key: hidden-[0-9a-f]{25} \}/);
  const [token = ""] = /hidden-\w+/.exec(one) ?? [];
  assert(mask("providers: { a: { api_key: S3cret-one } }\n").text.includes(token));
  const other = maskText("providers: { a: { api_key: S3cret-one } }\n", {
    ...OPTIONS,
    key: new Uint8Array(32).fill(2),
  });
  assert(!other.text.includes(token));
});

Deno.test("restoreText() says where a token is not known", () => {
  const text = `a: 1\nkey: hidden-${"0".repeat(25)}\n`;
  assertEquals(restoreText(text, new Map()), { text, unknown: [10] });
});

Deno.test("masking a masked text changes nothing", () => {
  const once = mask(Object.values(SECRETS)[1] ?? "").text;
  assertEquals(mask(once).text, once);
});

/** Secrets of a text are replaced by tokens; everything else stays, and can be restored. */

import { assert, assertEquals, assertMatch } from "@std/assert";
import { configSchema } from "../../../src/config/config.ts";
import { maskText, restoreText } from "../../../src/config/editing/masked_text.ts";
import { SecretMembers } from "../../../src/config/editing/secret_members.ts";
import { adapters } from "../../../src/providers/registry.ts";

const members = new SecretMembers(configSchema(adapters));
const OPTIONS = { key: new Uint8Array(32).fill(1), members, comments: true };
const mask = (text: string, comments = true) => maskText(text, { ...OPTIONS, comments });

/** Texts with a secret `S3cret-…`, which must not be left. */
const SECRETS: Readonly<Record<string, string>> = {
  "a plain value": "providers:\n  a:\n    api_key: S3cret-plain # comment\n",
  "quoted values": `server: { keys: [{ name: a, key: "S3cret-one" }, { key: 'S3cret-two' }] }\n`,
  "a list": "providers: { a: { api_key: [S3cret-one, S3cret-two] } }\n",
  "a block":
    'providers:\n  v:\n    credentials: |\n      {"k": "S3cret-block"}\n    kind: vertex\n',
  "a member that only an adapter knows":
    "providers: { a: { kind: bedrock, session_token: S3cret-id } }\n",
  "the secret and the URL of a webhook":
    "alerts: { webhook: { url: 'https://x.test/S3cret-path', secret: whsec_S3cret } }\n",
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
  "a password with special characters": "store: postgres://user:S3cret$'{x}@db/x\n",
  "a password with a slash": "shared_store: redis://user:S3cret/a@db/x\n",
  "a password with an at sign": "shared_store: 'redis://user:S3c@S3cret@db/x'\n",
  "a password behind a backslash": "shared_store: 'redis://us\\er:S3cret@db/x'\n",
  "a password of sentinels":
    "shared_store: redis+sentinel://a:26379,b:26379/m?sentinel_password=S3cret-s\n",
  "a password of a proxy": "providers: { a: { proxy: 'http://me:S3cret@proxy:3128' } }\n",
  "a password that is a default": 'store: "postgres://user:${P:-S3cret}@db/x"\n',
  "a URL that is a default": 'store: "${URL:-postgres://user:S3cret@db/x}"\n',
  "a default of a header":
    "providers: { a: { headers: { authorization: 'Bearer ${T:-S3cret}' } } }\n",
  "a token in a query":
    "providers: { a: { base_url: 'https://v.example/v1?access_token=S3cret' } }\n",
  "a query without a name": "providers: { a: { base_url: 'https://v.example/v1?S3cret' } }\n",
  "an escaped URL": 'store: "postgres://user:S3cret\\u0041@db/x"\n',
  "a URL in a comment": "# was postgres://user:S3cret@db/x until May\nkeep: 1d\n",
  "a comment at the end of a line": "keep: 1d # password: S3cret\n",
  "a comment within a flow": "server: {\n  # pin = S3cret\n  port: 1 }\n",
  "a commented object": "# - { name: web, key: S3cret }\nkeep: 1d\n",
  "a member that does not exist": "providers: { a: { passwort: S3cret } }\n",
  "a number of a member that does not exist": "providers: { a: { pin: S3cret1 } }\n",
  "a value where an object belongs": "server: S3cret\n",
  "a word that is none of the list": "providers: { a: { kind: S3cret } }\n",
  "a free value":
    "providers: { a: { models: [{ id: m, params: { metadata: { k: S3cret } } }] } }\n",
  "a private key as text":
    "providers:\n  a:\n    tls:\n      key: |\n        -----BEGIN\n        S3cret\n    kind: openai\n",
  "a line of text that is not YAML": "server: [\n  S3cret\n",
  "a list of text that is not YAML": "server: [\nx:\n  - S3cret\n",
  "two documents": "server: {}\n---\napi_key: S3cret\n",
  "a tab in text that is not YAML": "server:\n\tkey_pepper: S3cret\n",
  "a name in other case": "providers: { a: { options: { Authorization: Bearer S3cret-auth } } }\n",
};

for (const [name, text] of Object.entries(SECRETS)) {
  Deno.test(`maskText() hides ${name}, and restoreText() restores it`, () => {
    for (const comments of [true, false]) {
      const masked = mask(text, comments);
      assert(!masked.text.includes("S3cret"), masked.text);
      assertEquals(restoreText(masked.text, masked.secrets), { text, unknown: [] });
    }
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

Deno.test("maskText() shows what the schema describes, with addresses of URLs", () => {
  const text = `server: { port: 8080, host: "\${HOST:-0.0.0.0}", tls: { cert: a.pem, key: a.key } }
providers:
  c: { knd: mock }
  a: { kind: openai, base_url: "https://v.example/v1", proxy: "http://proxy:3128", retries: 2 }
  b: { kind: azure, base_url: "\${URL}", api_version: "2026-01-01", models: [{ id: m, params: { temperature: 0.5 } }] }
store: postgres://user:\${PASSWORD}@db:5432/x
keep: 90d
`;
  assertEquals(mask(text, false).text, text);
  const twice = mask("shared_store: 'redis://user:S3c@S3cret@db/x'\n").text;
  assertMatch(twice, /^shared_store: 'redis:\/\/user:hidden-\w+@db\/x'\n$/);
  const shown = mask("store: postgres://user:S3cret@db/x?sslmode=require\n").text;
  assertMatch(shown, /^store: postgres:\/\/user:hidden-\w+@db\/x\?sslmode=hidden-\w+\n$/);
});

Deno.test("maskText() shows comments of plain words to those who may not edit them", () => {
  const plain =
    "# Everything that we run (since May 2026). Ask Ana, before you change it!\nkeep: 1d\n";
  assertEquals(mask(plain, false).text, plain);
  const text = "# The password was hunter2\nserver: { port: 1 } # aBcDeFgH\nkeep: 1d\n";
  const { text: shown, secrets } = mask(text, false);
  assertMatch(shown, /^# hidden-\w+\nserver: \{ port: 1 \} # hidden-\w+\nkeep: 1d\n$/);
  assertEquals(restoreText(shown, secrets).text, text);
  assertEquals(mask(shown, false).text, shown);
});

Deno.test("maskText() does not take a sign in a value for a comment", () => {
  const text = "aliases:\n  a: b#c\n  d: 'e # f'\nserver: { keys: [{ name: \"g # h\" }] }\n";
  assertEquals(mask(text, false).text, text);
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

Deno.test("restoreText() reports where a token is unknown", () => {
  const text = `a: 1\nkey: hidden-${"0".repeat(25)}\n`;
  assertEquals(restoreText(text, new Map()), { text, unknown: [10] });
});

Deno.test("masking a masked text changes nothing", () => {
  const once = mask(Object.values(SECRETS)[1] ?? "").text;
  assertEquals(mask(once).text, once);
});

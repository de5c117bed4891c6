/** Keys in traces, and passwords in the view of the configuration. */

import { eventually } from "../bench/children.ts";
import { toAnswer } from "./answers.ts";
import { call } from "./caller.ts";
import { SERVICE_KEY, VENDOR_KEY } from "./gateway_process.ts";
import { HELLO, toProvider } from "./providers.ts";
import { createHelloVendor, RawVendor } from "./raw_vendor.ts";
import type { Scenario, Trial } from "./trial.ts";

const VIEWER_KEY = "sk-hostile-viewer-key";
const EXPORTED_MS = 15_000;
const SECRET = "S3cret";

const PATHS = ["/v1/chat/completions", "/v1beta/models/m:generateContent", "/v1/models", "/none"];
const QUERIES = [
  `?key=${SERVICE_KEY}`,
  `?x=1&KEY=${encodeURIComponent(SERVICE_KEY)}`,
  `?${SERVICE_KEY}`,
];

/** Secrets in the places where a pattern would miss them. */
const CONFIG = `server:
  port: 0
  keys: [{ name: hostile, key: ${SERVICE_KEY} }]
  admin_keys: [{ name: viewer, key: ${VIEWER_KEY} }]
providers:
  a: { kind: openai, api_key: ${SECRET}-a, models: [m], proxy: "http://me:${SECRET}$'{x}@127.0.0.1:9" }
  b:
    kind: openai_compatible
    base_url: https://v.example/v1
    api_key: "\${UNSET_KEY:-${SECRET}-c}"
    headers: { x-team: "Bearer \${UNSET:-${SECRET}-d}" }
    models: [n]
# The password was ${SECRET}-e
aliases: { fast: m } # was http://me:${SECRET}-f@proxy:3128
`;

/** What is exported or shown holds no key and no password. */
export const shownSecrets: Scenario = {
  name: "shown",
  seconds: 40,
  async run(trial) {
    await exportTraces(trial);
    await showConfig(trial);
  },
};

async function exportTraces(trial: Trial): Promise<void> {
  const vendor = trial.own(createHelloVendor());
  const collector = trial.own(
    new RawVendor((_, connection) => connection.send(toAnswer(200, {}))),
  );
  const gateway = await trial.start({
    config: { providers: toProvider(vendor.url) },
    env: {
      OTEL_DENO: "true",
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
      OTEL_BSP_SCHEDULE_DELAY: "100",
    },
  });
  for (const path of PATHS) {
    for (const query of QUERIES) await call(gateway.port, HELLO, { path: path + query });
  }
  const text = () => collector.requests.map(({ body }) => body).join("");
  const spans = () => text().match(/"url\.full"/g)?.length ?? 0;
  const expected = PATHS.length * QUERIES.length;
  await eventually(() => spans() >= expected, EXPORTED_MS);
  const found = [SERVICE_KEY, VENDOR_KEY].filter((key) => text().includes(key)).length;
  trial.report(
    `traces of ${expected} requests with a key in the query`,
    "exported, without a key",
    `${spans()} spans, ${found} keys`,
    spans() >= expected && found === 0,
  );
}

async function showConfig(trial: Trial): Promise<void> {
  const gateway = await trial.start({ config: {}, files: { "config.yaml": CONFIG } });
  const headers = { authorization: `Bearer ${VIEWER_KEY}` };
  const path = `${gateway.directory}/config.yaml`;
  const shown: string[] = [];
  const look = async () => {
    const { status, body } = await call(gateway.port, "", { path: "/v1/admin/config", headers });
    shown.push(`${status}${body.includes(SECRET) ? " with a secret" : ""}`);
  };
  await look();
  // A file that a reload refuses is shown, too.
  Deno.writeTextFileSync(
    path,
    `${CONFIG}broken: [\n  url: "https://v.example?access_token=${SECRET}-b"\n`,
  );
  gateway.signal("SIGHUP");
  await eventually(() => /config\.yaml/.test(gateway.stderr), EXPORTED_MS);
  await look();
  trial.report(
    "the configuration, and one that is broken, for a view-only admin",
    "200, 200",
    shown.join(", "),
    shown.join(", ") === "200, 200",
  );
}

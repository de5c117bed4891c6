/** What locks an operator out, prevents the start, or runs in a spreadsheet. */

import { eventually } from "../bench/children.ts";
import { toAnswer } from "./answers.ts";
import { call } from "./caller.ts";
import { SERVICE_KEY, VENDOR_KEY } from "./gateway_process.ts";
import { HELLO, toProvider } from "./providers.ts";
import { createHelloVendor, RawVendor } from "./raw_vendor.ts";
import type { Scenario } from "./trial.ts";

const EDITOR_KEY = "sk-hostile-editor-key";
const ADMIN = `  admin_keys: [{ name: editor, key: ${EDITOR_KEY}, edit_config: true }]\n`;
const RECORDED_MS = 5000;
const CONTENTS = { contents: [{ role: "user", parts: [{ text: "Hi" }] }] };

/** Of the secrets, the one of the manager is no header value. */
function toConfig(vendor: string): string {
  return `server:
  port: 0
  keys: [{ name: hostile, key: ${SERVICE_KEY} }]
${ADMIN}providers:
  v: ${JSON.stringify(toProvider(vendor).v)}
  managed: { kind: openai, api_key: "\${vault:secret/data/x#key}", models: [managed] }
  g: { kind: gemini, api_key: ${VENDOR_KEY}, base_url: "${vendor}", models: [native], retries: 0 }
`;
}

/** The editor, the start, and files for spreadsheets. */
export const operators: Scenario = {
  name: "operators",
  seconds: 30,
  async run(trial) {
    const vendor = trial.own(createHelloVendor());
    const data = { data: { key: "sk-1\u0007\nsk-2" }, metadata: {} };
    const vault = trial.own(
      new RawVendor((_, connection) => connection.send(toAnswer(200, { data }))),
    );
    const gateway = await trial.start({
      config: {},
      files: { "config.yaml": toConfig(vendor.url) },
      env: { VAULT_ADDR: vault.url, VAULT_TOKEN: "hostile" },
    });
    const { port } = gateway;
    const other = await call(port, HELLO);
    const managed = await call(port, { ...HELLO, model: "managed" });
    trial.report(
      "a secret with a control character: others, and its provider",
      "200, 404 or 503",
      `${other.status}, ${managed.status}`,
      other.status === 200 && [404, 503].includes(managed.status),
    );
    const headers = { authorization: `Bearer ${EDITOR_KEY}` };
    const path = "/v1/admin/config";
    const { text, hash } = JSON.parse((await call(port, "", { path, headers })).body);
    const statuses: number[] = [];
    for (
      const without of [
        text.replace(/ {2}admin_keys: .*\n/, ""),
        text.replace("edit_config: true", "edit_config: false"),
      ]
    ) {
      statuses.push((await call(port, { text: without, hash }, { path, headers })).status);
    }
    statuses.push((await call(port, { text: `${text}# kept\n`, hash }, { path, headers })).status);
    trial.report(
      "a configuration without an editor, and then one with it",
      "400 400 200",
      statuses.join(" "),
      statuses.join(" ") === "400 400 200",
    );
    await call(port, HELLO, { headers: { "x-sluice-tags": "x;=1+1" } });
    let csv = "";
    await eventually(async () => {
      csv = (await call(port, "", { path: "/v1/requests?format=csv" })).body;
      return csv.includes("=1+1");
    }, RECORDED_MS);
    trial.report(
      "a tag with a formula behind a semicolon, as CSV",
      "with a quote before it",
      /[^,\n]*=1\+1[^,\n]*/.exec(csv)?.[0] ?? "not there",
      csv.includes(";'=1+1") && !csv.includes(";=1+1"),
    );
    const before = vendor.requests.length;
    const native = { ...CONTENTS, model: "models/secret", generationConfig: { topK: 1 } };
    await call(port, native, { path: "/v1beta/models/native:generateContent" });
    const sent = vendor.requests.slice(before);
    const leaked = sent.filter(({ body }) => body.includes("secret")).length;
    trial.report(
      "a 'model' in a native body of Gemini",
      "1 sent, without it",
      `${sent.length} sent, ${leaked} with it`,
      sent.length === 1 && leaked === 0,
    );
  },
};

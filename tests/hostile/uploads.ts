/** Audio of a low bit rate, and IDs of other keys in all that a vendor may read. */

import { eventually } from "../bench/children.ts";
import { toAnswer } from "./answers.ts";
import { call } from "./caller.ts";
import { type GatewayProcess, SERVICE_KEY } from "./gateway_process.ts";
import { toProvider } from "./providers.ts";
import { RawVendor } from "./raw_vendor.ts";
import type { Scenario, Trial } from "./trial.ts";

const STRANGER_KEY = "sk-hostile-stranger-key";
const PATIENCE_MS = 5000;
const MINUTE = 60;
const FILE = { id: "file-A1", object: "file" };

/** Audio is counted by its duration, and objects belong to the key that made them. */
export const uploads: Scenario = {
  name: "uploads",
  seconds: 30,
  async run(trial) {
    const vendor = trial.own(
      new RawVendor(async ({ body, head }, connection) => {
        const isText = /\r\n\r\n(?:text|srt)\r\n/.test(body);
        const text = head.includes("/transcriptions") ? { text: "Hi" } : FILE;
        const plain = { "content-type": "text/plain" };
        await connection.send(isText ? toAnswer(200, "Hi", plain) : toAnswer(200, text));
      }),
    );
    const gateway = await trial.start({
      config: {
        server: {
          keys: [
            { name: "owner", key: SERVICE_KEY, limits: { seconds_per_day: 10_000 } },
            { name: "stranger", key: STRANGER_KEY },
          ],
        },
        providers: toProvider(vendor.url, { kind: "openai", passthrough: true }),
      },
    });
    await transcribe(trial, gateway);
    await reachObjects(trial, gateway, vendor);
  },
};

/** A minute of sound at 1 kHz and 8 bits: 8 kbit/s. */
function toWav(): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(44 + 1000 * MINUTE);
  const view = new DataView(bytes.buffer);
  for (const [at, name] of [[0, "RIFF"], [8, "WAVEfmt "], [36, "data"]] as const) {
    bytes.set(new TextEncoder().encode(name), at);
  }
  for (const [at, value] of [[16, 16], [24, 1000], [28, 1000], [40, 1000 * MINUTE]] as const) {
    view.setUint32(at, value, true);
  }
  for (const [at, value] of [[20, 1], [22, 1], [34, 8]] as const) view.setUint16(at, value, true);
  return bytes;
}

async function send(
  { port }: GatewayProcess,
  path: string,
  key: string,
  body: BodyInit,
  headers: Readonly<Record<string, string>> = {},
): Promise<number> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: "POST",
    body,
    headers: { authorization: `Bearer ${key}`, connection: "close", ...headers },
    signal: AbortSignal.timeout(PATIENCE_MS),
  });
  await response.body?.cancel();
  return response.status;
}

async function transcribe(trial: Trial, gateway: GatewayProcess): Promise<void> {
  const files = [toWav(), new Uint8Array(1000 * MINUTE)];
  const formats = ["json", "text", "srt"];
  for (const response_format of formats) {
    for (const bytes of files) {
      const form = new FormData();
      form.set("model", "m");
      form.set("response_format", response_format);
      form.set("file", new File([bytes], "a.wav"));
      await send(gateway, "/v1/audio/transcriptions", SERVICE_KEY, form);
    }
  }
  let seconds: readonly number[] = [];
  await eventually(async () => {
    const { body } = await call(gateway.port, "", { path: "/v1/requests?limit=10" });
    seconds = [...body.matchAll(/"seconds":([\d.]+)/g)].map(([, text]) => Number(text));
    return seconds.length >= formats.length * files.length;
  }, PATIENCE_MS);
  trial.report(
    "a minute of audio at 8 kbit/s, with and without a head, in 3 formats",
    `6 requests of ${MINUTE} s or more`,
    `${seconds.join(", ")} s`,
    seconds.length === 6 && seconds.every((count) => count >= MINUTE),
  );
}

const JSON_TEXT = '{"input_file_id":"file-A1"}';
const FIELDS = ["input_file_id", "file_ids[]", "FILE_ID", "\u{ff49}d", "attachments[0][file_id]"];
const QUERIES = ["file_id[]=file-A1", "AFTER=file-A1", "filter[file_id]=file-A1", "before=file-A1"];
const MEMBERS = ["FILE_ID", "fileId", "\u{ff49}d", "fileIDs"];
const TYPES = ["image/png", "text/plain", "application/octet-stream", "application/x-ndjson"];

/** The bodies and queries by which a stranger names the file of another key. */
async function toAttempts(): Promise<
  readonly (readonly [body: BodyInit, headers: Record<string, string>, query: string])[]
> {
  const json = { "content-type": "application/json" };
  const packed = await new Response(
    new Blob([JSON_TEXT]).stream().pipeThrough(new CompressionStream("gzip")),
  ).bytes();
  const form = (name: string) => {
    const fields = new FormData();
    fields.set(name, "file-A1");
    return fields;
  };
  return [
    [JSON_TEXT, json, ""],
    [packed, { ...json, "content-encoding": "gzip" }, ""],
    ["input_file_id=file-A1", { "content-type": "application/x-www-form-urlencoded" }, ""],
    ...TYPES.map((type) => [JSON_TEXT, { "content-type": type }, ""] as const),
    ...MEMBERS.map((name) => [JSON.stringify({ [name]: "file-A1" }), json, ""] as const),
    ...FIELDS.map((name) => [form(name), {}, ""] as const),
    ...QUERIES.map((query) => ["{}", json, `?${query}`] as const),
  ];
}

async function reachObjects(
  trial: Trial,
  gateway: GatewayProcess,
  vendor: RawVendor,
): Promise<void> {
  const path = "/v1/providers/v/proxy";
  const form = new FormData();
  form.set("file", new File(["{}"], "a.jsonl"));
  const made = await send(gateway, `${path}/files`, SERVICE_KEY, form);
  const before = vendor.requests.length;
  const passed: string[] = [];
  const attempts = await toAttempts();
  for (const [at, [body, headers, query]] of attempts.entries()) {
    const status = await send(gateway, `${path}/batches${query}`, STRANGER_KEY, body, headers);
    if (![400, 404, 415].includes(status)) passed.push(`${at}: ${status}`);
  }
  const sent = vendor.requests.length - before;
  trial.report(
    `${attempts.length} ways to name another key's file`,
    "200 for its owner; 400, 404 or 415, none sent",
    `${made}; ${passed.length === 0 ? "all refused" : passed.join(" ")}, ${sent} sent`,
    made === 200 && passed.length === 0 && sent === 0,
  );
}

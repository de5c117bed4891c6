/** A vendor that repeats the gateway's key, in every form and place. */

import { sleep } from "../bench/children.ts";
import { toAnswer, toCompletion } from "./answers.ts";
import { call } from "./caller.ts";
import { VENDOR_KEY } from "./gateway_process.ts";
import { HELLO, toProvider } from "./providers.ts";
import { RawVendor } from "./raw_vendor.ts";
import type { Scenario } from "./trial.ts";

const LOG_MS = 300;
const FORMS: ReadonlyMap<string, string> = new Map([
  ["as it is", VENDOR_KEY],
  ["URL-encoded", encodeURIComponent(VENDOR_KEY)],
  ["in a path, whose slashes stay", encodeURIComponent(VENDOR_KEY).replaceAll("%2F", "/")],
  ["URL-encoded twice", encodeURIComponent(encodeURIComponent(VENDOR_KEY))],
  ["in HTML", VENDOR_KEY.replace("/", "&#x2F;").replace("+", "&#43;").replace("=", "&#61;")],
  ["in JSON of PHP", VENDOR_KEY.replaceAll("/", "\\/")],
  ["base64", btoa(VENDOR_KEY)],
  ["lower case", VENDOR_KEY.toLowerCase()],
]);

/** No form of the key reaches a caller or the log. */
export const redaction: Scenario = {
  name: "key",
  seconds: 15,
  async run(trial) {
    let form = "";
    const vendor = trial.own(
      new RawVendor(({ body }, connection) => {
        const headers = {
          "x-ratelimit-limit-requests": form,
          "retry-after": form,
          "x-request-id": `req-${form}`,
        };
        const error = { message: `Bad: ${form}.`, type: form, param: form, code: form };
        if (body.includes('"stream":true')) {
          const events = `data: ${JSON.stringify({ error })}\n\n`;
          return connection.send(
            toAnswer(200, events, { ...headers, "content-type": "text/event-stream" }),
          );
        }
        const answer = body.includes("WELL")
          ? toAnswer(200, toCompletion("Hello."), headers)
          : toAnswer(400, { error }, headers);
        return connection.send(answer);
      }),
    );
    const gateway = await trial.start({ config: { providers: toProvider(vendor.url) } });
    const asks = [
      HELLO,
      { ...HELLO, stream: true },
      { ...HELLO, messages: [{ role: "user", content: "WELL" }] },
    ];
    const found: [name: string, places: Set<string>][] = [];
    for (const [name, text] of FORMS) {
      form = text;
      const places = new Set<string>();
      for (const ask of asks) {
        const { head, body } = await call(gateway.port, ask);
        if (head.includes(text.toLowerCase())) places.add("headers");
        if (body.includes(text)) places.add("body");
      }
      found.push([name, places]);
    }
    await sleep(LOG_MS);
    const log = `${gateway.stdout}${gateway.stderr}`;
    for (const [name, places] of found) {
      if (log.includes(FORMS.get(name) ?? "")) places.add("log");
      const measured = places.size === 0 ? "nowhere" : [...places].join(", ");
      trial.report(name, "is never shown", measured, places.size === 0);
    }
  },
};

/** Certificates that end, and those that replace them. */

import { assertEquals } from "@std/assert";
import { Certificates, type RenewedCertificate } from "../../../src/process/listener/endpoint.ts";
import { until } from "../../support/elapse.ts";
import { ManualClock } from "../../support/manual_clock.ts";
import { readRoot } from "../../support/read_root.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const DATES = { expired: "2021-01-01", localhost: "2126-10-29" } as const;

Deno.test("a certificate warns once a day before its end, and is replaced by a valid one only", async () => {
  const folder = await Deno.makeTempDir();
  const tls = { cert: `${folder}/cert.pem`, key: `${folder}/key.pem` };
  const use = (name: keyof typeof DATES) => {
    Deno.writeTextFileSync(tls.cert, readRoot(`tests/support/tls/${name}.pem`));
    Deno.writeTextFileSync(tls.key, readRoot(`tests/support/tls/${name}.key.pem`));
  };
  // It is valid in 2020, when the other one is not valid yet.
  use("expired");
  const clock = new ManualClock();
  clock.correct(Date.parse("2020-12-17T12:00:00Z") - clock.wallTime());
  const endpoints = [8443, 9443].map((port) => ({ address: { hostname: "127.0.0.1", port }, tls }));
  const certificates = await Certificates.load(endpoints);
  const ends = certificates.endpoints.map(({ certificate }) => certificate?.endsAt);
  assertEquals(ends, [Date.parse(DATES.expired), Date.parse(DATES.expired)]);
  const logged: string[] = [];
  const renewed: RenewedCertificate[] = [];
  const stop = certificates.follow({
    clock,
    renew: (one) => renewed.push(one),
    log: (text, level) => logged.push(`${level}: ${text.replaceAll(folder, "")}`),
  });
  const take = () => logged.splice(0);
  assertEquals(take(), []);
  for (let hour = 0; hour < 48; hour++) clock.advance(HOUR_MS);
  assertEquals(take(), [
    "warn: the certificate /cert.pem ends in 13 days, on 2021-01-01",
    "warn: the certificate /cert.pem ends in 12 days, on 2021-01-01",
  ]);
  use("localhost");
  await until(() => {
    clock.advance(500);
    return logged.length > 0;
  });
  const [first = ""] = take();
  assertEquals(
    first.replace(/before .*?;/, "before …;"),
    "error: the new certificate /cert.pem is not valid before …; the previous one stays in use",
  );
  assertEquals(renewed.length, 0);
  // Once the old one has ended, the other one is no worse.
  clock.correct(13 * DAY_MS);
  clock.advance(HOUR_MS);
  assertEquals(renewed.map(({ certificate }) => certificate.endsAt > clock.wallTime()), [true]);
  assertEquals(take(), ["undefined: the new certificate /cert.pem is in use"]);
  // An expired one does not replace it.
  clock.correct(10 * 366 * DAY_MS);
  use("expired");
  await until(() => {
    clock.advance(500);
    return logged.length > 0;
  });
  assertEquals(take(), [
    "error: the new certificate /cert.pem has expired on 2021-01-01; the previous one stays in use",
  ]);
  clock.correct(100 * 366 * DAY_MS);
  use("localhost");
  clock.advance(HOUR_MS);
  const [expired = ""] = take();
  assertEquals(
    expired.replace(/on .*?:/, "on …:"),
    "error: the certificate /cert.pem has expired on …: clients refuse it",
  );
  assertEquals(renewed.length, 1);
  // The files are not being read: the next reading and the next check are due.
  await until(() => clock.pending === 2);
  stop();
  assertEquals(clock.pending, 0);
  await Deno.remove(folder, { recursive: true });
});

/** `deno task storm [seconds] [callers] [seed]`: a load test; exit code 1 if anything failed. */

import { rage } from "../support/storm.ts";

const [seconds = "20", callers = "200", seed = String(Date.now() % 100_000)] = Deno.args;

const report = await rage({
  callers: Number(callers),
  duration: Number(seconds) * 1000,
  seed: Number(seed),
});

const lines = [
  `${report.requests} requests of ${callers} callers in ${seconds} s (seed ${seed})`,
  `${report.attempts} attempts, ${report.mostAttempts} for one request at most`,
  `the slowest took ${Math.round(report.slowest)} ms`,
  ...[...report.ends].map(([end, count]) => `${String(count).padStart(8)}  ${end}`),
  ...report.faults.slice(0, 20).map((fault) => `WRONG: ${fault}`),
  report.faults.length === 0 ? "ok" : `${report.faults.length} faults`,
];
await Deno.stdout.write(new TextEncoder().encode(lines.join("\n") + "\n"));
Deno.exit(report.faults.length === 0 ? 0 : 1);

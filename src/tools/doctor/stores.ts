/** Examines the ledger's store and the store that replicas share, without changing them. */

import type { Config } from "../../config/config.ts";
import { type StoreRules, toStoreName } from "../../config/shared_store.ts";
import { systemClock } from "../../core/clock.ts";
import { messageOf } from "../../core/errors.ts";
import { findFileFault } from "../../process/stores/sqlite_file.ts";
import { type Finding, findingsOf } from "./system.ts";
import type { OtherClock } from "./vendors.ts";

/** The time limit of a server, in milliseconds. */
const LIMIT_MS = 5000;
const MICROSECONDS = 1000;

const { ok, info, fail } = findingsOf("stores");

/** The findings, and the servers' clocks. */
interface Examined {
  readonly findings: readonly Finding[];
  readonly clocks: readonly OtherClock[];
}

/** Connects to each configured store. */
export async function examineStores(config: Config): Promise<Examined> {
  const all = await Promise.all([examineLedger(config.store), examineShared(config)]);
  return {
    findings: all.flatMap(({ findings }) => findings),
    clocks: all.flatMap(({ clocks }) => clocks),
  };
}

async function examineLedger(store: StoreRules | undefined): Promise<Examined> {
  if (store === undefined) {
    return only(info("ledger", "in memory only: usage is lost at a restart ('store' is not set)"));
  }
  return store.kind === "sqlite"
    ? { findings: examineFile(store.path), clocks: [] }
    : await examineServer(store);
}

/** Faults that prevent startup are reported elsewhere. */
function examineFile(path: string): readonly Finding[] {
  if (findFileFault(path) !== undefined) return [];
  return [
    isFile(path)
      ? ok("ledger", path)
      : info("ledger", `${path} does not exist yet, and is created at the start`),
  ];
}

function isFile(path: string): boolean {
  try {
    return Deno.statSync(path).isFile;
  } catch {
    return false;
  }
}

async function examineServer(store: Extract<StoreRules, { kind: "postgres" }>): Promise<Examined> {
  const { PostgresConnection } = await import("../../governance/ledger/postgres_connection.ts");
  const name = toStoreName(store);
  try {
    const { rootCertificate: path } = store;
    const certificate = path === undefined ? undefined : Deno.readTextFileSync(path);
    const connection = new PostgresConnection(store, certificate, LIMIT_MS);
    const began = systemClock.now();
    try {
      const [row] = await connection.call((sql) =>
        sql("SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS now")
      );
      const ms = Math.round(systemClock.now() - began);
      return {
        findings: [ok("ledger", `${name}, after ${ms} ms`)],
        clocks: clockOf(name, Number(row?.now)),
      };
    } finally {
      await connection.close();
    }
  } catch (thrown) {
    return only(fail("ledger", `${name}: ${messageOf(thrown)}`));
  }
}

const SCRIPTS = { time: "return redis.call('TIME')" };

async function examineShared({ sharedStore: rules }: Config): Promise<Examined> {
  if (rules === undefined) {
    return only(info("shared_store", "not set: each replica keeps separate limits and state"));
  }
  const name = `${rules.host}:${rules.port}`;
  const controller = new AbortController();
  const cancel = systemClock.after(LIMIT_MS, () => controller.abort());
  const began = systemClock.now();
  try {
    const { openClient } = await import("../../memory/shared_store/client.ts");
    const client = await openClient<"time", readonly Uint8Array[]>(
      rules,
      SCRIPTS,
      controller.signal,
    );
    try {
      const [seconds, microseconds] = (await client.run("time", [], []))
        .map((part) => Number(new TextDecoder().decode(part)));
      const ms = Math.round(systemClock.now() - began);
      return {
        findings: [ok("shared_store", `${name}, after ${ms} ms`)],
        clocks: clockOf(name, (seconds ?? NaN) * 1000 + (microseconds ?? 0) / MICROSECONDS),
      };
    } finally {
      client.close();
      await client.ended;
    }
  } catch (thrown) {
    const reason = controller.signal.aborted ? "no reply in time" : messageOf(thrown);
    return only(fail("shared_store", `${name}: ${reason}`));
  } finally {
    cancel();
  }
}

function only(finding: Finding): Examined {
  return { findings: [finding], clocks: [] };
}

/** @param time of the server, in milliseconds since the epoch */
function clockOf(name: string, time: number): readonly OtherClock[] {
  return Number.isFinite(time) ? [{ name, skewMs: systemClock.wallTime() - time }] : [];
}

/**
 * The scripts that run on the Valkey or Redis server, each as one atomic step. They use the
 * server's clock, so that replicas with different clocks agree. Times are microseconds.
 *
 * A bucket is stored as its GCRA arrival time, a concurrency limit is a sorted set of request IDs
 * by lease end, and a budget is a number of nano-dollars. A budget also has a sorted set of the
 * requests that hold a reservation, by lease end (`:reserved`), the amount that each of them
 * reserved (`:amounts`), and how it was created (`:origin`). A completed request has a marker for
 * some time, so that a repeated settlement counts once.
 */

import { commonKeyOf } from "../../memory/shared_store/shared_store.ts";
import type { ScriptClient } from "../../memory/shared_store/connection.ts";
import { BATCH, ORIGINS, PRELUDE } from "./batch_script.ts";

/** The suffix of a budget's key. Versions before 0.2 counted micro-dollars, without a suffix. */
export const BUDGET_UNIT = ":nano_usd";

/**
 * Renews a replica's lease, and counts the live replicas.
 *
 * KEYS: the replicas. ARGV: the replica's ID, its lease. Returns: the time, the number of replicas.
 */
const RENEW = `${PRELUDE}
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', text(now))
redis.call('ZADD', KEYS[1], text(now + tonumber(ARGV[2])), ARGV[1])
redis.call('PEXPIRE', KEYS[1], math.ceil(tonumber(ARGV[2]) / 1000))
return {{now, redis.call('ZCARD', KEYS[1])}}`;

/**
 * Renews the leases of one owner's open requests. A reservation that was released because its
 * replica could not renew it in time, for example while the server was unavailable, is restored.
 *
 * KEYS: concurrency limits and reservations of budgets. ARGV: the lease; for each key, the number
 * of request IDs and the IDs. Returns: the time.
 */
const EXTEND = `${PRELUDE}
-- Makes the reservations again that were released. Returns how long the budget is kept.
local function reserveAgain(budget, ids)
  for i, amount in ipairs(redis.call('HMGET', budget .. ':amounts', unpack(ids))) do
    local marker = budget .. ':request:' .. ids[i]
    local released = not amount and redis.call('GET', marker .. ':amount')
    if released and redis.call('EXISTS', budget) == 1 then
      redis.call('INCRBY', budget, released)
      redis.call('HSET', budget .. ':amounts', ids[i], released)
      redis.call('DEL', marker, marker .. ':amount')
    end
  end
  local ms = redis.call('PTTL', budget)
  if ms > 0 then redis.call('PEXPIRE', budget .. ':amounts', ms) end
  return ms
end
local lease, at = tonumber(ARGV[1]), 1
local leaseEnd = text(now + lease)
for i, key in ipairs(KEYS) do
  local ms, ids, entries = math.ceil(lease / 1000), {}, {}
  for j = at + 2, at + 1 + tonumber(ARGV[at + 1]) do
    ids[#ids + 1] = ARGV[j]
    entries[#entries + 1] = leaseEnd
    entries[#entries + 1] = ARGV[j]
  end
  local budget = string.match(key, '^(.*):reserved$')
  if budget then ms = math.max(ms, reserveAgain(budget, ids)) end
  redis.call('ZADD', key, unpack(entries))
  if redis.call('PTTL', key) < ms then redis.call('PEXPIRE', key, ms) end
  at = at + 1 + #ids
end
return {{now}}`;

/**
 * Restores state that a server may have lost. For buckets, and for existing budgets, it adopts
 * higher values.
 *
 * KEYS: buckets, then budgets. ARGV: the number of buckets; the time until each is full; then for
 * each budget the last spending known to the caller, the time of that value, and its lifetime (ms).
 * Returns: the time.
 */
const RESTORE = `${PRELUDE}${ORIGINS}
local buckets = tonumber(ARGV[1])
for i = 1, buckets do
  local full = now + tonumber(ARGV[1 + i])
  if full > fullAt(KEYS[i]) then setBucket(KEYS[i], full) end
end
for i = buckets + 1, #KEYS do
  local at = 2 + buckets + 3 * (i - buckets - 1)
  local spent, heardAt, lifetime = tonumber(ARGV[at]), tonumber(ARGV[at + 1]), tonumber(ARGV[at + 2])
  local isAdded = hear(KEYS[i], spent, heardAt, lifetime)
  local origin = redis.call('GET', KEYS[i] .. ':origin')
  local created = tonumber(string.match(origin or '', '^%d+') or 0)
  -- A charge that was heard of before the budget was created is in it.
  if not isAdded and (heardAt == 0 or heardAt >= created) and spent > get(KEYS[i]) then
    set(KEYS[i], spent, lifetime)
  end
end
flush()
return {{now}}`;

/**
 * Reads a budget stored by an earlier version.
 *
 * KEYS: its counter in nano-dollars, and in micro-dollars. Returns: nano-dollars, 0 if there is
 * none.
 */
const EARLIER = `
local nanos, micros = unpack(redis.call('MGET', unpack(KEYS)))
return {{tonumber(nanos) or (tonumber(micros) or 0) * 1000}}`;

/** The scripts by name. */
export const SCRIPTS = {
  batch: BATCH,
  renew: RENEW,
  extend: EXTEND,
  restore: RESTORE,
  earlier: EARLIER,
} as const;
export type ScriptName = keyof typeof SCRIPTS;

/** The lists of numbers that a script returns. */
export type StoreReply = readonly (readonly number[])[];

/** Runs a script. */
export type RunScript = ScriptClient<ScriptName, string | number, StoreReply>["run"];

/** The key under which replicas are counted. */
export const REPLICAS_KEY = commonKeyOf("replicas");

/**
 * The script with which the workers of all replicas exchange records through the Valkey or Redis
 * server, in one atomic step. Only the last record of each field is kept.
 */

/** The maximum number of records in a reply, and in a call. */
export const MAX_RECORDS = 200;
/** The maximum length of a record in bytes. Longer ones are not read. */
export const MAX_RECORD_BYTES = 1024;

/** The limits for stored records. */
export interface KeptRecords {
  readonly count: number;
  readonly ms: number;
}

/** The keys have the same hash slot. */
export const EXCHANGE_KEYS: readonly string[] = ["{sluice}:health:order", "{sluice}:health"];

/**
 * KEYS: a sorted set of fields by their records' times, a hash of records by field. A record's time
 * is in microseconds by the server's clock, and later than that of all earlier records. ARGV: the
 * time of the last record that the worker has read, the number of its own new records; then the
 * field and text of each. Returns: the server's time, the time of the first new record; then the
 * time and text of each record that the worker has not read, at most 200.
 *
 * The newest records are kept for some time. If another program has changed the keys so that they
 * no longer match, they are deleted.
 */
const toScript = ({ count, ms }: KeptRecords): string => `
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local function text(number) return string.format('%.0f', number) end
local order, records = KEYS[1], KEYS[2]
local count = tonumber(ARGV[2])
local newest = text(now + 10000000)
local first = now
local function remove(from, to)
  for _, field in ipairs(redis.call('ZRANGEBYSCORE', order, from, to, 'LIMIT', 0, 1000)) do
    redis.call('HDEL', records, field)
    redis.call('ZREM', order, field)
  end
end
if count > 0 then
  remove('-inf', text(now - ${ms}000))
  remove('(' .. newest, '+inf')
  if redis.call('HLEN', records) ~= redis.call('ZCARD', order) then
    redis.call('DEL', order, records)
  end
  local last = redis.call('ZREVRANGE', order, 0, 0, 'WITHSCORES')
  first = math.max(now, (tonumber(last[2]) or 0) + 1)
  for i = 1, count do
    redis.call('HSET', records, ARGV[2 * i + 1], ARGV[2 * i + 2])
    redis.call('ZADD', order, text(first + i - 1), ARGV[2 * i + 1])
  end
  local extra = redis.call('ZCARD', order) - ${count}
  if extra > 0 then
    for _, field in ipairs(redis.call('ZRANGE', order, 0, extra - 1)) do
      redis.call('HDEL', records, field)
      redis.call('ZREM', order, field)
    end
  end
  redis.call('PEXPIRE', order, ${ms})
  redis.call('PEXPIRE', records, ${ms})
end
local reply = {text(now), text(first)}
local range = redis.call('ZRANGEBYSCORE', order, '(' .. ARGV[1], newest, 'WITHSCORES', 'LIMIT', 0, ${MAX_RECORDS})
for i = 1, #range, 2 do
  reply[#reply + 1] = range[i + 1]
  local isShort = redis.call('HSTRLEN', records, range[i]) <= ${MAX_RECORD_BYTES}
  reply[#reply + 1] = isShort and redis.call('HGET', records, range[i]) or ''
end
return reply`;

/** The scripts for an exchange, by name. */
export function exchangeScripts(kept: KeptRecords): { readonly exchange: string } {
  return { exchange: toScript(kept) };
}

/** The scripts for exchanging breakers and keys, by name. */
export const EXCHANGE_SCRIPTS = exchangeScripts({ count: 1000, ms: 3_600_000 });

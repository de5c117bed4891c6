/**
 * The scripts that run in the Valkey or Redis server, each as one atomic step. They use the server's
 * time, so that replicas with different clocks agree. Times are microseconds.
 *
 * A bucket is the time at which it will be full (GCRA), places are a sorted set of request IDs by
 * the end of their leases, and a budget is a number of micro-dollars. A request with a budget also
 * has a marker: what it reserved, or `done`, so that a settlement that is sent twice counts once. The
 * reservations of a budget are a sorted set of request IDs by the end of their leases.
 */

/**
 * Binds `now`; `text`, which writes a number without an exponent; `get` and `set` for numbers, which
 * read each key once and write it once, in `flush`.
 */
const PRELUDE = `
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local values, lifetimes = {}, {}
local function text(number) return string.format('%.0f', number) end
local function get(key)
  if not values[key] then values[key] = tonumber(redis.call('GET', key) or 0) end
  return values[key]
end
local function set(key, value, ms) values[key], lifetimes[key] = value, ms end
local function setBucket(key, full) set(key, full, math.ceil((full - now) / 1000)) end
local function fullAt(key) return math.max(get(key), now) end
local function flush()
  for key, ms in pairs(lifetimes) do
    if ms > 0 then redis.call('SET', key, text(values[key]), 'PX', ms)
    else redis.call('DEL', key) end
  end
end
`;

/**
 * Takes what a request needs, or nothing.
 *
 * Keys: places, buckets, then the budget, the request's marker and the budget's reservations if there
 * is a budget.
 * Arguments: request ID, lease, number of places, number of buckets; the limit of each place; the
 * cost and the burst of each bucket; amount, maximum and lifetime (ms) of the budget.
 * Returns: the number of the limit that refuses (0: admitted), the wait until it would not, the
 * time, how long each bucket takes to be full, and what is spent of the budget.
 */
const ADMIT = `
-- Returns what requests reserved that have lost their leases: their replica has crashed. If one ends
-- after all, it counts what it used.
local function release(budget, reservations, prefix)
  local spent = get(budget)
  local lost = redis.call('ZRANGEBYSCORE', reservations, '-inf', text(now), 'LIMIT', 0, 100)
  for _, id in ipairs(lost) do
    local mark = tonumber(redis.call('GET', prefix .. id) or '')
    if mark then
      spent = math.max(0, spent - mark)
      redis.call('SET', prefix .. id, '0', 'KEEPTTL')
    end
    redis.call('ZREM', reservations, id)
  end
  return spent
end
local function admit(keys, args)
  local id, lease = args[1], tonumber(args[2])
  local places, buckets = tonumber(args[3]), tonumber(args[4])
  local budget, marker = keys[places + buckets + 1], keys[places + buckets + 2]
  local reservations = keys[places + buckets + 3]
  local at, refused, wait = 4, 0, 0
  for i = 1, places do
    at = at + 1
    local limit = tonumber(args[at])
    if refused == 0 and redis.call('ZCARD', keys[i]) >= limit then
      redis.call('ZREMRANGEBYSCORE', keys[i], '-inf', text(now))
      if redis.call('ZCARD', keys[i]) >= limit then refused = i end
    end
  end
  local before, after = {}, {}
  for i = 1, buckets do
    local cost, burst = tonumber(args[at + 1]), tonumber(args[at + 2])
    at = at + 2
    before[i] = fullAt(keys[places + i])
    after[i] = before[i] + cost
    if refused == 0 and after[i] - now > burst then
      refused, wait = places + i, after[i] - now - burst
    end
  end
  local spent, amount, lifetime
  if budget then
    spent = get(budget)
    amount, lifetime = tonumber(args[at + 1]), tonumber(args[at + 3])
    if refused == 0 and spent + amount > tonumber(args[at + 2]) then
      local before = spent
      spent = release(budget, reservations, string.sub(marker, 1, #marker - #id))
      if spent ~= before then set(budget, spent, lifetime) end
      if spent + amount > tonumber(args[at + 2]) then refused = places + buckets + 1 end
    end
  end
  local full = before
  if refused == 0 and
    (not marker or redis.call('SET', marker, text(amount), 'NX', 'PX', 86400000)) then
    for i = 1, places do
      redis.call('ZADD', keys[i], text(now + lease), id)
      redis.call('PEXPIRE', keys[i], math.ceil(lease / 1000))
    end
    for i = 1, buckets do setBucket(keys[places + i], after[i]) end
    if budget then
      spent = spent + amount
      set(budget, spent, lifetime)
      if amount > 0 then
        redis.call('ZADD', reservations, text(now + lease), id)
        redis.call('PEXPIRE', reservations, lifetime)
      end
    end
    full = after
  end
  local reply = {refused, wait, now}
  for i = 1, buckets do reply[3 + i] = full[i] - now end
  if budget then reply[4 + buckets] = spent end
  return reply
end
`;

/**
 * Ends a request: what it used replaces what it had reserved.
 *
 * Keys: as for the admission.
 * Arguments: request ID, number of places, number of buckets, 1 if the admission is known to have
 * run; the change of each bucket; then used, reserved and lifetime (ms) of the budget.
 * Returns: the time, how long each bucket takes to be full, and what is spent of the budget.
 */
const SETTLE = `
local function settle(keys, args)
  local places, buckets, hasRun = tonumber(args[2]), tonumber(args[3]), args[4] == '1'
  local budget, marker = keys[places + buckets + 1], keys[places + buckets + 2]
  local isDone = false
  for i = 1, places do redis.call('ZREM', keys[i], args[1]) end
  local spent
  if budget then
    local used, reserved, lifetime = args[5 + buckets], args[6 + buckets], args[7 + buckets]
    spent = get(budget)
    redis.call('ZREM', keys[places + buckets + 3], args[1])
    local mark = redis.call('GET', marker)
    isDone = mark == 'done'
    if not isDone then
      redis.call('SET', marker, 'done', 'PX', 60000)
      if mark then reserved = mark elseif not hasRun then reserved = 0 end
      spent = math.max(0, spent + tonumber(used) - tonumber(reserved))
      set(budget, spent, tonumber(lifetime))
    end
  end
  local reply = {now}
  for i = 1, buckets do
    local key = keys[places + i]
    local full = fullAt(key)
    local change = tonumber(args[4 + i])
    if not isDone and change ~= 0 then
      full = full + change
      setBucket(key, full)
    end
    reply[1 + i] = math.max(0, full - now)
  end
  if budget then reply[2 + buckets] = spent end
  return reply
end
`;

/**
 * Runs several operations, as one call costs more than one operation.
 *
 * ARGV: for each operation `admit` or `settle`, its numbers of keys and arguments, its arguments.
 * Returns: the reply of each operation.
 */
const BATCH = `${PRELUDE}${ADMIT}${SETTLE}
local replies, key, at = {}, 0, 0
while at < #ARGV do
  local name, keyCount, argCount = ARGV[at + 1], tonumber(ARGV[at + 2]), tonumber(ARGV[at + 3])
  local keys, args = {}, {}
  for i = 1, keyCount do keys[i] = KEYS[key + i] end
  for i = 1, argCount do args[i] = ARGV[at + 3 + i] end
  replies[#replies + 1] = name == 'admit' and admit(keys, args) or settle(keys, args)
  key, at = key + keyCount, at + 3 + argCount
end
flush()
return replies`;

/**
 * Renews the leases of open requests, and counts the replicas that are alive.
 *
 * KEYS: the replicas, then places and reservations of budgets. ARGV: ID of the replica, its lease, the
 * lease of requests; for each of the other keys a number and so many request IDs. Returns: the time,
 * the number of replicas.
 */
const RENEW = `${PRELUDE}
local lease, at = tonumber(ARGV[3]), 3
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', text(now))
redis.call('ZADD', KEYS[1], text(now + tonumber(ARGV[2])), ARGV[1])
redis.call('PEXPIRE', KEYS[1], math.ceil(tonumber(ARGV[2]) / 1000))
for i = 2, #KEYS do
  local count = tonumber(ARGV[at + 1])
  for j = at + 2, at + 1 + count do redis.call('ZADD', KEYS[i], text(now + lease), ARGV[j]) end
  local ms = math.ceil(lease / 1000)
  if redis.call('PTTL', KEYS[i]) < ms then redis.call('PEXPIRE', KEYS[i], ms) end
  at = at + 1 + count
end
return {{now, redis.call('ZCARD', KEYS[1])}}`;

/**
 * Restores what a server may have lost: it takes over values that are higher than its own.
 *
 * KEYS: buckets, then budgets. ARGV: number of buckets; how long each takes to be full; then spent
 * and lifetime (ms) of each budget. Returns: the time.
 */
const RESTORE = `${PRELUDE}
local buckets = tonumber(ARGV[1])
for i = 1, buckets do
  local full = now + tonumber(ARGV[1 + i])
  if full > fullAt(KEYS[i]) then setBucket(KEYS[i], full) end
end
for i = buckets + 1, #KEYS do
  local at = 2 + buckets + 2 * (i - buckets - 1)
  local spent = tonumber(ARGV[at])
  if spent > get(KEYS[i]) then set(KEYS[i], spent, tonumber(ARGV[at + 1])) end
end
flush()
return {{now}}`;

/** The scripts by name. */
export const SCRIPTS = { batch: BATCH, renew: RENEW, restore: RESTORE } as const;
export type ScriptName = keyof typeof SCRIPTS;

/** The key under which replicas are counted. */
export const REPLICAS_KEY = "{sluice}:replicas";

/** The key of a counter. All keys have one hash slot, so that a script may use several of them. */
export function keyOf(name: string): string {
  return `{sluice}:${name}`;
}

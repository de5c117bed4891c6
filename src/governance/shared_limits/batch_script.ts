/**
 * The script for most calls: it settles requests and admits others, one group of limits at a time.
 */

/**
 * Binds `now`; `text`, which writes a number without an exponent; `get` and `set` for numbers,
 * which read each key once and write it once, in `flush`.
 */
export const PRELUDE = `
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
 * Initializes a budget that the server lacks or has lost, with the last state known to the caller.
 * The origin of a budget consists of its creation time and the last state known to its creator,
 * with the time of that state. A caller with a later state from before the creation has charges
 * that the creator lacks: these are added. The callers' order therefore does not matter, and no
 * charge is added twice.
 */
export const ORIGINS = `
local function hear(key, known, at, lifetime)
  local found = redis.call('MGET', key, key .. ':origin')
  local created, heardAt, heard
  if found[2] then created, heardAt, heard = string.match(found[2], '^(%d+) (%d+) (%d+)$') end
  local function setOrigin(created)
    local origin = created .. ' ' .. text(at) .. ' ' .. text(known)
    redis.call('SET', key .. ':origin', origin, 'PX', lifetime)
  end
  if not found[1] then
    set(key, known, lifetime)
    setOrigin(text(now))
    return true
  end
  if not values[key] then values[key] = tonumber(found[1]) end
  if not created or at <= tonumber(heardAt) or at >= tonumber(created) then return false end
  local more = known - tonumber(heard)
  -- What the ledger has may be less than what the server had, never more.
  if tonumber(heardAt) == 0 then more = math.max(0, more) end
  set(key, math.max(0, values[key] + more), lifetime)
  setOrigin(created)
  return true
end
`;

/**
 * The maximum number of reservations that one script call releases, since a server runs one call at
 * a time.
 */
const MAX_RELEASED = 1000;

/** The markers for requests with a budget, and the reservations of crashed replicas. */
const RESERVATIONS = `
local function markers(budget, ids)
  local keys = {}
  for i, id in ipairs(ids) do keys[i] = budget .. ':request:' .. id end
  return keys
end
local function mark(budget, id, text, ms)
  redis.call('SET', budget .. ':request:' .. id, text, 'PX', ms)
end
-- For each request the text of its marker, or false.
local function marksOf(budget, ids) return redis.call('MGET', unpack(markers(budget, ids))) end
-- Returns what requests reserved that have lost their leases: their replica has crashed. If one ends
-- after all, it counts what it used.
local function release(budget, lifetime)
  local first = redis.call('ZRANGE', budget .. ':reserved', 0, 0, 'WITHSCORES')
  if not first[2] or tonumber(first[2]) > now then return end
  local lost =
    redis.call('ZRANGEBYSCORE', budget .. ':reserved', '-inf', text(now), 'LIMIT', 0, ${MAX_RELEASED})
  local spent = get(budget)
  for i, amount in ipairs(redis.call('HMGET', budget .. ':amounts', unpack(lost))) do
    if amount then
      spent = math.max(0, spent - tonumber(amount))
      mark(budget, lost[i], 'released', 86400000)
      mark(budget, lost[i] .. ':amount', amount, 600000)
    end
  end
  redis.call('HDEL', budget .. ':amounts', unpack(lost))
  redis.call('ZREM', budget .. ':reserved', unpack(lost))
  set(budget, spent, lifetime)
end
`;

/**
 * Ends requests: their usage replaces their reservations. A repeated settlement has no effect. The
 * reserved amount is the server's; for an unknown request, it is the caller's value if the
 * admission is known to have run, else nothing.
 */
const SETTLE = `
-- What each request reserved as a text, or the text of its marker, or false.
local function reservedBy(budget, ids)
  local reserved = redis.call('HMGET', budget .. ':amounts', unpack(ids))
  local unknown, positions = {}, {}
  for i, id in ipairs(ids) do
    if not reserved[i] then unknown[#unknown + 1], positions[#positions + 1] = id, i end
  end
  if #unknown == 0 then return reserved end
  for i, text in ipairs(marksOf(budget, unknown)) do reserved[positions[i]] = text end
  return reserved
end
local function settle(group)
  local list, buckets, budget = group.settle, #group.bursts, group.budget
  local width = 2 + buckets + (budget and 2 or 0)
  local ids = {}
  for at = 1, #list, width do ids[#ids + 1] = list[at] end
  if #ids == 0 then return end
  for _, key in ipairs(group.concurrency) do redis.call('ZREM', key, unpack(ids)) end
  local known = budget and reservedBy(budget.key, ids) or {}
  for n, id in ipairs(ids) do
    local at = (n - 1) * width + 1
    if known[n] ~= 'done' then
      for i, key in ipairs(group.buckets) do
        local change = list[at + 1 + i]
        if change ~= 0 then setBucket(key, fullAt(key) + change) end
      end
      if budget then
        local used, reserved = list[at + buckets + 2], list[at + buckets + 3]
        if known[n] == 'released' then
          reserved = 0
          redis.call('DEL', budget.key .. ':request:' .. id .. ':amount')
        elseif known[n] then reserved = tonumber(known[n])
        elseif list[at + 1] == 0 then reserved = 0 end
        set(budget.key, math.max(0, get(budget.key) + used - reserved), budget.lifetime)
        mark(budget.key, id, 'done', 60000)
      end
    end
  end
  if not budget then return end
  redis.call('HDEL', budget.key .. ':amounts', unpack(ids))
  redis.call('ZREM', budget.key .. ':reserved', unpack(ids))
end
`;

/**
 * For each request, takes the full amounts or nothing. An admission that arrives after its
 * settlement has no effect.
 */
const ADMIT = `
-- The number of requests that hold each concurrency limit, including those added in the end.
local held, hasPruned, added = {}, {}, {}
local function isFull(key, limit)
  if not held[key] then held[key] = redis.call('ZCARD', key) end
  if held[key] >= limit and not hasPruned[key] then
    hasPruned[key] = true
    held[key] = held[key] - redis.call('ZREMRANGEBYSCORE', key, '-inf', text(now))
  end
  return held[key] >= limit
end
-- Adds to a sorted set or a hash, in the end.
local function add(command, key, first, second, ms)
  local list = added[key]
  if not list then
    list = {}
    added[key] = {command = command, list = list, ms = ms}
  else list = list.list end
  list[#list + 1] = first
  list[#list + 1] = second
end
-- What is reserved of a budget, with what is added in the end: the number of requests and the sum.
local reservations, adding = {}, {}
local function addingTo(budget)
  if not adding[budget] then adding[budget] = {count = 0, sum = 0} end
  return adding[budget]
end
local function reservedOf(budget)
  if not reservations[budget] then
    local found = {count = 0, sum = 0}
    for _, amount in ipairs(redis.call('HVALS', budget .. ':amounts')) do
      found.count, found.sum = found.count + 1, found.sum + tonumber(amount)
    end
    reservations[budget] = found
  end
  local stored, more = reservations[budget], addingTo(budget)
  return stored.count + more.count, stored.sum + more.sum
end
local function flushAdded()
  for key, entry in pairs(added) do
    redis.call(entry.command, key, unpack(entry.list))
    redis.call('PEXPIRE', key, entry.ms)
  end
end
-- The number of the limit that refuses, or 0, and the wait until it would not: for a budget a second,
-- if only what is reserved makes it refuse.
local function refusalOf(group, at)
  local list, budget = group.admit, group.budget
  for i, key in ipairs(group.concurrency) do
    if isFull(key, group.limits[i]) then return i, 0 end
  end
  for i, key in ipairs(group.buckets) do
    local over = fullAt(key) + list[at + i] - now - group.bursts[i]
    if over > 0 then return #group.concurrency + i, over end
  end
  if not budget then return 0, 0 end
  local amount = list[at + #group.buckets + 1]
  if get(budget.key) + amount <= budget.max then return 0, 0 end
  -- An amount that exceeds what is left is reserved if nothing else is.
  local count, sum = reservedOf(budget.key)
  if count == 0 and get(budget.key) < budget.max then return 0, 0 end
  local isHeld = count > 0 and get(budget.key) - sum < budget.max
  return #group.concurrency + #group.buckets + 1, isHeld and 1000000 or 0
end
local function take(group, at)
  local list, budget, id = group.admit, group.budget, group.admit[at]
  for _, key in ipairs(group.concurrency) do
    held[key] = held[key] + 1
    add('ZADD', key, leaseEnd, id, math.ceil(lease / 1000))
  end
  for i, key in ipairs(group.buckets) do setBucket(key, fullAt(key) + list[at + i]) end
  if not budget then return end
  local amount = list[at + #group.buckets + 1]
  set(budget.key, get(budget.key) + amount, budget.lifetime)
  if amount == 0 then return end
  local more = addingTo(budget.key)
  more.count, more.sum = more.count + 1, more.sum + amount
  add('ZADD', budget.key .. ':reserved', leaseEnd, id, budget.lifetime)
  add('HSET', budget.key .. ':amounts', id, text(amount), budget.lifetime)
end
local admissions = 0
local function admit(group, refusals)
  local list, budget = group.admit, group.budget
  local width = 1 + #group.buckets + (budget and 1 or 0)
  local ids = {}
  for at = 1, #list, width do ids[#ids + 1] = list[at] end
  if #ids == 0 then return end
  local marks = budget and marksOf(budget.key, ids) or {}
  for n = 1, #ids do
    local at = (n - 1) * width + 1
    local refused, wait = refusalOf(group, at)
    if refused == 0 and not marks[n] then take(group, at) end
    if refused ~= 0 then
      refusals[#refusals + 1] = admissions
      refusals[#refusals + 1] = refused
      refusals[#refusals + 1] = wait
    end
    admissions = admissions + 1
  end
end
`;

/**
 * Settles and admits one owner's requests in one call, because a call costs more than a request.
 * Requests with the same limits are a group; all settlements precede all admissions, and the
 * reservations of crashed replicas are released between them. A group without requests reports its
 * state.
 *
 * KEYS: for each group its concurrency limits, buckets and budget. ARGV: the groups as JSON, the
 * lease of admitted requests. A group has
 * - `limits`: each concurrency limit,
 * - `bursts`: the burst of each bucket,
 * - `budget`, if there is one: its `max`, its `lifetime` (ms), its spending as last known to the
 *   caller (`known`), and the time of that value (`at`),
 * - `settle`: for each request its ID, 1 if its admission is known to have run, the change of each
 *   bucket, then used and reserved if there is a budget,
 * - `admit`: for each request its ID, the cost for each bucket, then the amount if there is a
 *   budget.
 *
 * Returns: the time; for each group the time until each bucket is full, the amount spent from the
 * budget, and the number of requests with a reservation; for each rejected admission its number
 * from 0, the number of the limit that rejects it, and the wait until it would be admitted.
 */
export const BATCH = `${PRELUDE}
local groups, lease = cjson.decode(ARGV[1]), tonumber(ARGV[2])
local leaseEnd = text(now + lease)
${ORIGINS}${RESERVATIONS}${SETTLE}${ADMIT}
local at = 0
local function nextKeys(count)
  local keys = {}
  for i = 1, count do keys[i] = KEYS[at + i] end
  at = at + count
  return keys
end
for _, group in ipairs(groups) do
  group.concurrency, group.buckets = nextKeys(#group.limits), nextKeys(#group.bursts)
  local budget = group.budget
  if budget then
    budget.key = nextKeys(1)[1]
    hear(budget.key, budget.known, budget.at, budget.lifetime)
  end
end
local refusals = {}
for _, group in ipairs(groups) do settle(group) end
for _, group in ipairs(groups) do
  if group.budget then release(group.budget.key, group.budget.lifetime) end
end
for _, group in ipairs(groups) do admit(group, refusals) end
flush()
flushAdded()
local replies = {{now}}
for n, group in ipairs(groups) do
  local state = {}
  for i, key in ipairs(group.buckets) do state[i] = fullAt(key) - now end
  if group.budget then
    state[#state + 1] = get(group.budget.key)
    state[#state + 1] = redis.call('ZCARD', group.budget.key .. ':reserved')
  end
  replies[n + 1] = state
end
replies[#replies + 1] = refusals
return replies`;

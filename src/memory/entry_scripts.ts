/**
 * The scripts for entries that replicas share, each as one atomic step. Each memory has its entries,
 * an index of their names by the time at which they expire, and their sizes; the member `total` of
 * the sizes is the sum. Times are milliseconds of the server.
 *
 * A server without memory refuses only the first command of a script that writes, and only if that
 * command needs memory.
 */

/** The memory of an entry besides its value, in bytes. */
const OVERHEAD_BYTES = 300;
/** Expired entries that one write removes from the index, at most. */
const MAX_EXPIRED = 100;

const PRELUDE = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local function keep(key, ms)
  if redis.call('PTTL', key) < ms then redis.call('PEXPIRE', key, ms) end
end
`;

const DROP = `
local function forget(index, sizes, name)
  redis.call('ZREM', index, name)
  local size = redis.call('HGET', sizes, name)
  if size then
    redis.call('HINCRBY', sizes, 'total', -size)
    redis.call('HDEL', sizes, name)
  end
end
local function drop(index, sizes, name, key)
  redis.call('DEL', key)
  forget(index, sizes, name)
end
`;

/**
 * Stores an entry. The entries that expire first are removed until all of them together fit.
 *
 * KEYS: the entry, index, sizes. ARGV: name, value, age and size of all entries at most, the key of
 * an entry without its name. Returns: 1 if it is stored; 0 if it is too large, or if the server has
 * no memory.
 */
const WRITE = `${PRELUDE}${DROP}
local entry, index, sizes = unpack(KEYS)
local name, value, age, max, prefix = unpack(ARGV)
age, max = tonumber(age), tonumber(max)
local size = #value + ${OVERHEAD_BYTES}
if size > max then
  drop(index, sizes, name, entry)
  return 0
end
if redis.pcall('SET', entry, value, 'PX', age).err then return 0 end
forget(index, sizes, name)
for _, old in ipairs(redis.call('ZRANGEBYSCORE', index, '-inf', now, 'LIMIT', 0, ${MAX_EXPIRED})) do
  drop(index, sizes, old, prefix .. old)
end
while tonumber(redis.call('HGET', sizes, 'total') or 0) + size > max do
  local first = redis.call('ZRANGE', index, 0, 0)[1]
  if not first then redis.call('DEL', sizes) break end
  drop(index, sizes, first, prefix .. first)
end
redis.call('ZADD', index, string.format('%.0f', now + age), name)
redis.call('HSET', sizes, name, size)
redis.call('HINCRBY', sizes, 'total', size)
keep(index, age)
keep(sizes, age)
return 1`;

/**
 * Reads entries, and resets their age.
 *
 * KEYS: index, sizes, entries. ARGV: age, size of all values at most, the names of the entries.
 * Returns: the value of each entry, or nil. The last entries are read first.
 */
const READ = `${PRELUDE}
local age, room = tonumber(ARGV[1]), tonumber(ARGV[2])
local values, found = {}, false
for i = #KEYS, 3, -1 do
  local value = redis.call('GET', KEYS[i])
  if value and #value <= room then
    room = room - #value
    redis.call('PEXPIRE', KEYS[i], age)
    redis.call('ZADD', KEYS[1], 'XX', string.format('%.0f', now + age), ARGV[i])
    found = true
  else
    value = false
  end
  values[i - 2] = value
end
if found then
  keep(KEYS[1], age)
  keep(KEYS[2], age)
end
return values`;

/**
 * Removes an entry, and adds a notice for the other replicas.
 *
 * KEYS: the entry, index, sizes, notices. ARGV: name, notice, how long the notice is kept.
 */
const REMOVE = `${PRELUDE}${DROP}
local entry, index, sizes, notices = unpack(KEYS)
local name, notice, age = ARGV[1], ARGV[2], tonumber(ARGV[3])
drop(index, sizes, name, entry)
redis.call('ZREMRANGEBYSCORE', notices, '-inf', string.format('%.0f', now - age))
redis.call('ZADD', notices, string.format('%.0f', now), notice)
redis.call('PEXPIRE', notices, age)
return 1`;

/**
 * Removes an entry for one replica, and adds a notice for the others. Until all of them have read the
 * notice, an empty value says that the entry was taken.
 *
 * KEYS: as above. ARGV: name, notice, how long the notice and the empty value are kept. Returns: a list
 * with the value; 1 if it was taken before; 0 if there is none.
 */
const TAKE = `${PRELUDE}${DROP}
local entry, index, sizes, notices = unpack(KEYS)
local name, notice, age, gone = ARGV[1], ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4])
local value = redis.call('GET', entry)
if not value then return 0 end
if #value == 0 then return 1 end
drop(index, sizes, name, entry)
redis.call('SET', entry, '', 'PX', gone)
redis.call('ZREMRANGEBYSCORE', notices, '-inf', string.format('%.0f', now - age))
redis.call('ZADD', notices, string.format('%.0f', now), notice)
redis.call('PEXPIRE', notices, age)
return {value}`;

/** KEYS: notices. ARGV: since when. Returns: the time, then the notices since then. */
const REMOVALS = `${PRELUDE}
local reply = redis.call('ZRANGEBYSCORE', KEYS[1], ARGV[1], '+inf')
table.insert(reply, 1, now)
return reply`;

/** The scripts by name. */
export const STATE_SCRIPTS = {
  write: WRITE,
  read: READ,
  remove: REMOVE,
  take: TAKE,
  removals: REMOVALS,
} as const;
export type StateScript = keyof typeof STATE_SCRIPTS;

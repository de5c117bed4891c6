/**
 * The scripts for entries that replicas share, each as one atomic step. Each owner in a memory has
 * its entries, an index of their names by expiry time, and their sizes; the member `total` of the
 * sizes is the sum. Each memory has its owners sorted by size, their total size, and the removal
 * notices. Times are in milliseconds of the server's clock.
 *
 * A server that is out of memory rejects only the first write command of a script, and only if it
 * needs memory.
 */

/** The memory overhead of an entry, in bytes. */
const OVERHEAD_BYTES = 300;
/** The maximum number of expired entries that one write removes from the index. */
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
local function dropExpired(index, sizes, prefix)
  local old = redis.call('ZRANGEBYSCORE', index, '-inf', now, 'LIMIT', 0, ${MAX_EXPIRED})
  for _, name in ipairs(old) do drop(index, sizes, name, prefix .. name) end
end
local function trim(index, sizes, prefix, max)
  while tonumber(redis.call('HGET', sizes, 'total') or 0) > max do
    local first = redis.call('ZRANGE', index, 0, 0)[1]
    if not first then redis.call('DEL', sizes) return end
    drop(index, sizes, first, prefix .. first)
  end
end
`;

/**
 * Adds a piece to a value that is too large for one call.
 *
 * KEYS: the value. ARGV: the piece, how long the value is kept. Returns: the length of the value; 0
 * if the server is out of memory.
 */
const APPEND = `
local length = redis.pcall('APPEND', KEYS[1], ARGV[1])
if type(length) == 'table' then
  redis.call('DEL', KEYS[1])
  return 0
end
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return length`;

/**
 * Stores an entry. The owner's entries that expire first are removed until the rest fits.
 *
 * KEYS: the entry, index, sizes, and the value if it was sent in pieces. ARGV: name, value, maximum
 * age, maximum size of all entries, and the prefix of entry keys. Returns: the size of all entries;
 * 0 if the entry is too large, or if the server is out of memory.
 */
const WRITE = `${PRELUDE}${DROP}
local entry, index, sizes, pieces = unpack(KEYS)
local name, value, age, max, prefix = unpack(ARGV)
age, max = tonumber(age), tonumber(max)
local length = pieces and redis.call('STRLEN', pieces) or #value
local size = length + ${OVERHEAD_BYTES}
if size > max or length == 0 then
  drop(index, sizes, name, entry)
  return 0
end
if pieces then
  redis.call('RENAME', pieces, entry)
  redis.call('PEXPIRE', entry, age)
elseif redis.pcall('SET', entry, value, 'PX', age).err then return 0 end
forget(index, sizes, name)
dropExpired(index, sizes, prefix)
trim(index, sizes, prefix, max - size)
redis.call('ZADD', index, string.format('%.0f', now + age), name)
redis.call('HSET', sizes, name, size)
keep(index, age)
keep(sizes, age)
return redis.call('HINCRBY', sizes, 'total', size)`;

/**
 * Removes the owner's entries that expire first until the others fit.
 *
 * KEYS: index, sizes. ARGV: the maximum size of all entries, and the prefix of entry keys. Returns:
 * the size of all entries.
 */
const TRIM = `${PRELUDE}${DROP}
local index, sizes = unpack(KEYS)
dropExpired(index, sizes, ARGV[2])
trim(index, sizes, ARGV[2], tonumber(ARGV[1]))
return tonumber(redis.call('HGET', sizes, 'total') or 0)`;

/**
 * Records the size of an owner's entries, and returns the owner that must remove some if all owners
 * together exceed the limit.
 *
 * KEYS: the owners by size, the sum. ARGV: owner, size, maximum size of all owners, and how long
 * this is kept without a call. Returns: the largest owner, its size, and the size that it may keep;
 * an empty list if all of them fit, or if the server is out of memory.
 */
const ACCOUNT = `
local owners, sum = unpack(KEYS)
local owner, size, max = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])
local before = tonumber(redis.call('ZSCORE', owners, owner) or 0)
if size == 0 then redis.call('ZREM', owners, owner)
elseif type(redis.pcall('ZADD', owners, size, owner)) == 'table' then return {} end
if redis.call('ZCARD', owners) == 0 then
  redis.call('DEL', sum)
  return {}
end
local total = 0
if redis.call('EXISTS', sum) == 1 then
  total = redis.call('INCRBY', sum, string.format('%.0f', size - before))
else
  local all = redis.call('ZRANGE', owners, 0, -1, 'WITHSCORES')
  for i = 2, #all, 2 do total = total + tonumber(all[i]) end
  redis.call('SET', sum, string.format('%.0f', total))
end
redis.call('PEXPIRE', owners, ARGV[4])
redis.call('PEXPIRE', sum, ARGV[4])
if total <= max then return {} end
local largest = redis.call('ZREVRANGE', owners, 0, 1, 'WITHSCORES')
local bytes, next = tonumber(largest[2]), tonumber(largest[4] or 0)
return {largest[1], bytes, math.min(bytes - 1, math.max(next, bytes - (total - max)))}`;

/**
 * Reads an owner's entries, and resets their age.
 *
 * KEYS: index, sizes, entries. ARGV: the new age, the maximum size of all values, the maximum size
 * of the values in the reply, and the names of the entries. Returns: for each entry its value, or
 * its length if that is too large for the reply, or nil. The last entries are read first.
 */
const READ = `${PRELUDE}
local age, room, inline = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local values, found = {}, false
for i = #KEYS, 3, -1 do
  local length = redis.call('STRLEN', KEYS[i])
  local value = false
  if length > 0 and length <= room then
    room = room - length
    value = length
    if length <= inline then
      inline = inline - length
      value = redis.call('GET', KEYS[i])
    end
    redis.call('PEXPIRE', KEYS[i], age)
    redis.call('ZADD', KEYS[1], 'XX', string.format('%.0f', now + age), ARGV[i + 1])
    found = true
  end
  values[i - 2] = value
end
if found then
  keep(KEYS[1], age)
  keep(KEYS[2], age)
end
return values`;

/** KEYS: an entry. ARGV: the first and the last byte to read. Returns: these bytes. */
const PIECE = `return redis.call('GETRANGE', KEYS[1], ARGV[1], ARGV[2])`;

/**
 * Removes an owner's entry, unless it was taken.
 *
 * KEYS: the entry, index, sizes. ARGV: name. Returns: 1.
 */
const REMOVE = `${PRELUDE}${DROP}
local entry, index, sizes = unpack(KEYS)
if redis.call('STRLEN', entry) > 0 then redis.call('DEL', entry) end
forget(index, sizes, ARGV[1])
return 1`;

/**
 * Removes an entry for one replica. Until the others are notified, an empty value marks it as
 * taken.
 *
 * KEYS: as above. ARGV: name, how long the empty value is kept. Returns: a list with the value; 1
 * if it was taken before; 0 if there is none.
 */
const TAKE = `${PRELUDE}${DROP}
local entry, index, sizes = unpack(KEYS)
local value = redis.call('GET', entry)
if not value then return 0 end
if #value == 0 then return 1 end
drop(index, sizes, ARGV[1], entry)
redis.call('SET', entry, '', 'PX', ARGV[2])
return {value}`;

/**
 * Adds a removal notice for the other replicas.
 *
 * KEYS: notices. ARGV: notice, how long it is kept. Returns: 1; 0 if the server is out of memory.
 */
const NOTIFY = `${PRELUDE}
local age = tonumber(ARGV[2])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', string.format('%.0f', now - age))
local added = redis.pcall('ZADD', KEYS[1], string.format('%.0f', now), ARGV[1])
if type(added) == 'table' then return 0 end
keep(KEYS[1], age)
return 1`;

/** KEYS: notices. ARGV: since when. Returns: the time, then the notices since then. */
const REMOVALS = `${PRELUDE}
local reply = redis.call('ZRANGEBYSCORE', KEYS[1], ARGV[1], '+inf')
table.insert(reply, 1, now)
return reply`;

/** The scripts by name. */
export const ENTRY_SCRIPTS = {
  append: APPEND,
  write: WRITE,
  trim: TRIM,
  account: ACCOUNT,
  read: READ,
  piece: PIECE,
  remove: REMOVE,
  take: TAKE,
  notify: NOTIFY,
  removals: REMOVALS,
} as const;
export type EntryScript = keyof typeof ENTRY_SCRIPTS;

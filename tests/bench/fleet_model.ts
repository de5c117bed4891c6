/** The arithmetic of a fleet: what its gateways ask of the stores, and when that is too much. */

/** What was measured. Times are microseconds. */
export interface Costs {
  /** The server's processor for the lease of a replica, and for a look at the breakers of others. */
  readonly renewUs: number;
  readonly pollUs: number;
  /** The same for the admission and the settlement of a request. */
  readonly requestUs: number;
  /** Memory of a service key with rates, places and a budget. */
  readonly keyBytes: number;
  /** The server's processor for a batch of 100 rows; server and gateway for the sums of a row. */
  readonly insertUs: number;
  readonly countUs: number;
}

export interface Fleet {
  readonly replicas: number;
  readonly keys: number;
}

/** One thing that can be too little: what it has, and what a replica, a key or a request needs. */
export interface Bound {
  readonly name: string;
  /** How much there is. */
  readonly capacity: number;
  readonly perReplica: number;
  readonly perKey: number;
  /** For each request in a second. */
  readonly perRequest: number;
}

const SECOND_US = 1e6;
const GIB = 2 ** 30;
/** The renewal of a lease, and the poll of breakers, for each second. */
const RENEWALS = 1 / 5;
const POLLS = 1;
/** The share of a processor that a server may use before waits grow. */
const BUSY = 0.7;
/** Counters of a process, and those of a key with rates of requests and tokens, places and a budget. */
const COUNTERS = 65_536;
const COUNTERS_PER_KEY = 5;
const STORED_KEYS = 10_000;
/** Connections that servers accept by default, without those that they reserve. */
const VALKEY_CONNECTIONS = 9968;
const POSTGRES_CONNECTIONS = 97;
const CONNECTIONS_PER_GATEWAY = 3;
/** Processors of the PostgreSQL server. */
const PROCESSORS = 8;
const BATCH_ROWS = 100;

/** All bounds of a fleet with one worker a replica, one Valkey server and one PostgreSQL server. */
export function boundsOf(costs: Costs): readonly Bound[] {
  const none = { perReplica: 0, perKey: 0, perRequest: 0 };
  return [
    {
      ...{ ...none, name: "PostgreSQL: connections, without PgBouncer" },
      ...{ capacity: POSTGRES_CONNECTIONS, perReplica: CONNECTIONS_PER_GATEWAY },
    },
    {
      ...{ ...none, name: "gateway: keys created at run time" },
      ...{ capacity: STORED_KEYS, perKey: 1 },
    },
    {
      ...{ ...none, name: "gateway: counters of a process for keys in use" },
      ...{ capacity: COUNTERS, perKey: COUNTERS_PER_KEY },
    },
    {
      ...{ ...none, name: "Valkey: connections (maxclients)" },
      ...{ capacity: VALKEY_CONNECTIONS, perReplica: 1 },
    },
    {
      ...{ ...none, name: "Valkey: processor of the common slot (leases, breakers)" },
      capacity: BUSY * SECOND_US,
      perReplica: RENEWALS * costs.renewUs + POLLS * costs.pollUs,
    },
    {
      ...{ ...none, name: "Valkey: processor for requests, of each primary" },
      ...{ capacity: BUSY * SECOND_US, perRequest: costs.requestUs },
    },
    {
      ...{ ...none, name: "Valkey: 1 GiB of memory" },
      ...{ capacity: GIB, perKey: costs.keyBytes },
    },
    {
      ...{ ...none, name: "PostgreSQL: inserts of rows, with 8 processors" },
      ...{ capacity: BUSY * PROCESSORS * SECOND_US, perRequest: costs.insertUs / BATCH_ROWS },
    },
    {
      ...{ ...none, name: "PostgreSQL: sums of rows, one gateway at a time" },
      ...{ capacity: SECOND_US, perRequest: costs.countUs },
    },
  ];
}

/** The load at which a bound is reached. */
export function limitOf({ capacity, perReplica, perKey, perRequest }: Bound): string {
  if (perReplica > 0) return `${round(capacity / perReplica)} replicas`;
  if (perKey > 0) return `${round(capacity / perKey)} keys`;
  return `${round(capacity / perRequest)} requests/s`;
}

/** How much of a bound a fleet uses; undefined if only requests use it. */
export function shareOf(
  { capacity, perReplica, perKey, perRequest }: Bound,
  { replicas, keys }: Fleet,
): number | undefined {
  return perRequest > 0 ? undefined : (replicas * perReplica + keys * perKey) / capacity;
}

export function toReport(fleet: Fleet, costs: Costs): string {
  const bounds = boundsOf(costs);
  const rows = bounds.map((bound) => {
    const share = shareOf(bound, fleet);
    const used = share === undefined ? "" : `${Math.round(share * 100)} %`;
    return `${bound.name.padEnd(56)} ${limitOf(bound).padStart(22)} ${used.padStart(10)}`;
  });
  const measured = Object.entries(costs).map(([name, value]) => `${name} ${value.toFixed(1)}`);
  return [
    measured.join(", "),
    `${"bound".padEnd(56)} ${"reached at".padStart(22)} ${"used".padStart(10)}`,
    ...rows,
  ].join("\n");
}

/** Three digits are more than the figures are worth. */
function round(value: number): string {
  const unit = 10 ** Math.max(0, Math.floor(Math.log10(value)) - 1);
  return (Math.floor(value / unit) * unit).toLocaleString("en-US");
}

/**
 * The ledger in a PostgreSQL database, which several gateways may share. Each batch of rows is
 * written in one transaction. Later, the first idle gateway adds them to the hourly and daily sums.
 * All calls run on the server: none blocks the event loop.
 */

import { type PostgresRules, toStoreName } from "../../config/shared_store.ts";
import { type SqlSteps, TIME } from "./column_types.ts";
import {
  COUNTED_COLUMNS,
  readCountedRow,
  ROW_COLUMNS,
  ROW_SUMS,
  type RowColumn,
} from "./columns.ts";
import { PostgresConnection, type RunSql, runSteps } from "./postgres_connection.ts";
import { BEGIN, COUNT_LOCK, migrate } from "./postgres_schema.ts";
import {
  ADD_TO_ROLLUP,
  KEY_COLUMNS,
  pruneSums,
  readLabels,
  type Rollup,
  ROLLUP_COLUMNS,
  toQuarters,
  toRollups,
  toTotals,
  unreadableRow,
} from "./rollups.ts";
import { LabelBounds } from "./labels.ts";
import type { LedgerRow } from "./row.ts";
import { readSums, toSummaries } from "./summary_queries.ts";
import type { Dialect } from "./request_conditions.ts";
import { countRequests, listRequests } from "./request_queries.ts";
import {
  BATCH_ROWS,
  type RequestCountQuery,
  type RequestCounts,
  type RequestPage,
  type RequestQuery,
  type UsageQuery,
  type UsageStore,
  type UsageSummary,
} from "./usage_store.ts";
import {
  addMonths,
  ALLOW_DELETES,
  dropMonth,
  isDivided,
  ROW_PARTITIONS,
} from "./postgres_partitions.ts";

const WRITE_TIMEOUT_MS = 5000;
const READ_TIMEOUT_MS = 10_000;
/** The number of rows counted in one transaction, during which no gateway writes. */
const MAX_COUNTED_ROWS = 2000;

const SUMS = "sluice_usage_sums";

/** Writes a batch's rows unless it has been written before. */
const INSERT = `WITH batch AS (
    INSERT INTO sluice_batches (id) VALUES ($1) ON CONFLICT DO NOTHING RETURNING id
  )
  INSERT INTO sluice_requests (${ROW_COLUMNS.map(({ name }) => name).join(", ")})
  SELECT ${ROW_COLUMNS.map(({ name, type }) => type.insert?.(name) ?? name).join(", ")}
  FROM json_to_recordset($2) AS rows(${
  ROW_COLUMNS.map(({ name, type }) => `${name} ${type.record ?? type.postgres}`).join(", ")
}) WHERE EXISTS (SELECT FROM batch)`;

/** The expressions that read some columns. */
function toSelected(columns: readonly RowColumn[]): string {
  return columns.map(({ name, type }) => `${type.select?.(name) ?? name} AS ${name}`).join(", ");
}

/** For rows counted by an older version, totals or quarter-hour sums are missing. */
const READ_UNCOUNTED = `SELECT row, ${toSelected(COUNTED_COLUMNS)},
    row <= (SELECT last_row FROM sluice_counted) AS "isCounted",
    row > (SELECT total_row FROM sluice_counted) AS "lacksTotal",
    row > (SELECT quarter_row FROM sluice_counted) AS "lacksQuarters"
  FROM sluice_requests
  WHERE row > (SELECT least(last_row, total_row, quarter_row) FROM sluice_counted)
  ORDER BY row LIMIT ${MAX_COUNTED_ROWS}`;

/**
 * Begins a report. A month's hours are sorted in memory rather than in a file, and JIT compilation
 * is off because it would take longer than the query. A pooler such as PgBouncer reuses the
 * connection for other clients after the transaction, so the settings apply only within it.
 */
const BEGIN_READING = "BEGIN READ ONLY; SET LOCAL work_mem = '64MB'; SET LOCAL jit = off";

const KEY_TYPES = `span smallint, start bigint, tag text, key text, model text, provider text`;

/** Reads the distributions for sums; `position` is the index of their key in the values. */
const READ_TEXTS = `SELECT position, durations, first_tokens
  FROM json_to_recordset($1) AS keys(position integer, ${KEY_TYPES})
  JOIN ${SUMS} USING (${KEY_COLUMNS.join(", ")})`;

const ADD_ROLLUPS = `INSERT INTO ${SUMS} AS sums (${ROLLUP_COLUMNS.join(", ")})
  SELECT ${ROLLUP_COLUMNS.join(", ")} FROM json_populate_recordset(NULL::${SUMS}, $1)
  ${ADD_TO_ROLLUP}`;

/** The indexed part of a key's name: longer names would exceed the index entry size. */
const KEY_PREFIX = "left(key, 160)";

const DIALECT: Dialect = {
  table: "sluice_requests",
  toLowerCase: (column) => `lower(${column} COLLATE "C")`,
  row: "row",
  time: TIME.select?.("time") ?? "time",
  columns: toSelected(ROW_COLUMNS.filter(({ name }) => name !== "time")),
  // The same expression as in the index: a prefix is a range of code points.
  byId: { table: "sluice_requests", id: 'left(id, 160) COLLATE "C"' },
  toTime: (placeholder) => `to_timestamp(${placeholder}::double precision / 1000)`,
  toInterval: (placeholder) =>
    `floor(extract(epoch FROM time) * 1000 / ${placeholder}::double precision)`,
  hasKey: (placeholder) => `${KEY_PREFIX} = left(${placeholder}, 160) AND key = ${placeholder}`,
  hasTag: (placeholder) => `tags @> ARRAY[${placeholder}]`,
  isLike: (column, placeholder) => `${column} ILIKE ${placeholder}`,
  hasTagLike: (placeholder) =>
    `EXISTS (SELECT FROM unnest(tags) AS tag WHERE tag ILIKE ${placeholder})`,
};

export class PostgresUsageStore implements UsageStore {
  readonly name: string;
  readonly maxBatchRows = BATCH_ROWS;
  readonly #writer: PostgresConnection;
  /** Reports have a separate connection, so that they do not delay writes. */
  readonly #reader: PostgresConnection;
  readonly #labelBounds = new LabelBounds();
  #isMigrated = false;
  /** Rows written since the last ones were counted. */
  #uncounted = 0;

  /** @param certificate the CA certificates that verify the server's certificate, in PEM */
  constructor(rules: PostgresRules, certificate?: string) {
    this.name = toStoreName(rules);
    this.#writer = new PostgresConnection(rules, certificate, WRITE_TIMEOUT_MS);
    this.#reader = new PostgresConnection(rules, certificate, READ_TIMEOUT_MS);
  }

  /** Connects, and migrates the schema. Otherwise, the first call does so. */
  async open(): Promise<void> {
    await this.#call(() => Promise.resolve());
  }

  async write(rows: readonly LedgerRow[], batch: string): Promise<void> {
    const values = [batch, JSON.stringify(rows.map(toColumns))];
    await this.#call(async (sql) => {
      await sql(`${BEGIN}; SELECT pg_advisory_xact_lock_shared(${COUNT_LOCK})`);
      await sql(INSERT, values);
      await sql("COMMIT");
    });
    this.#uncounted += rows.length;
    // Rows that cannot be counted now will be counted later.
    if (this.#uncounted >= MAX_COUNTED_ROWS / 2) this.#count().catch(() => {});
  }

  async summarize(query: UsageQuery): Promise<readonly UsageSummary[]> {
    while (await this.#count());
    const rows = await this.#reader.call(async (sql) => {
      await sql(BEGIN_READING);
      const found = await runSteps(sql, readSums(query, SUMS, "sluice_counted"));
      await sql("COMMIT");
      return found;
    });
    return await toSummaries(rows, query.groupBy);
  }

  list(query: RequestQuery): Promise<RequestPage> {
    return this.#read(listRequests(query, DIALECT));
  }

  count(query: RequestCountQuery): Promise<RequestCounts> {
    return this.#read(countRequests(query, DIALECT));
  }

  async #read<Result>(steps: SqlSteps<Result>): Promise<Result> {
    // The first call creates the schema.
    if (!this.#isMigrated) await this.open();
    return await this.#reader.call((sql) => runSteps(sql, steps));
  }

  async prune(before: number, quartersBefore = before): Promise<boolean> {
    const isCounting = await this.#count();
    const isPruning = await this.#call((sql) => pruneRows(sql, before, quartersBefore));
    return isCounting || isPruning;
  }

  async close(): Promise<void> {
    await Promise.all([this.#writer.close(), this.#reader.close()]);
  }

  /** Adds some rows to their sums. Returns whether there may be more. */
  #count(): Promise<boolean> {
    this.#uncounted = 0;
    return this.#call(async (sql) => {
      await sql(`${BEGIN}; SELECT pg_advisory_xact_lock(${COUNT_LOCK})`);
      const rows = await sql(READ_UNCOUNTED);
      const late = rows.filter(({ isCounted }) => isCounted === true);
      const read = late.length > 0 ? late : rows;
      const counted = read.map((row) => readCountedRow(row) ?? unreadableRow());
      await runSteps(sql, readLabels(counted, this.#labelBounds, SUMS));
      const last = read.at(-1)?.row;
      if (late.length > 0) {
        const lacking = (what: string) =>
          counted.filter((_, index) => late[index]?.[what] === true);
        await addRollups(sql, toTotals(lacking("lacksTotal")));
        await addRollups(sql, toQuarters(lacking("lacksQuarters"), this.#labelBounds));
        await sql(
          `UPDATE sluice_counted
             SET total_row = greatest(total_row, $1), quarter_row = greatest(quarter_row, $1)`,
          [last],
        );
      } else if (last !== undefined) {
        await addRollups(sql, toRollups(counted, this.#labelBounds));
        await sql("UPDATE sluice_counted SET last_row = $1, total_row = $1, quarter_row = $1", [
          last,
        ]);
      }
      await sql("COMMIT");
      return late.length > 0 || rows.length === MAX_COUNTED_ROWS;
    });
  }

  /** Runs statements after the schema has been created. */
  #call<Result>(run: (sql: RunSql) => Promise<Result>): Promise<Result> {
    return this.#writer.call(async (sql) => {
      try {
        if (!this.#isMigrated) await migrate(sql);
        this.#isMigrated = true;
        return await run(sql);
      } catch (thrown) {
        // The server may restart with a different database.
        this.#isMigrated = false;
        throw thrown;
      }
    });
  }
}

async function addRollups(sql: RunSql, rollups: readonly Rollup[]): Promise<void> {
  if (rollups.length === 0) return;
  const keys = rollups.map(({ key }) =>
    Object.fromEntries(KEY_COLUMNS.map((column, index) => [column, key[index]]))
  );
  const positions = keys.map((key, position) => ({ position, ...key }));
  for (
    const { position, durations, first_tokens } of await sql(READ_TEXTS, [
      JSON.stringify(positions),
    ])
  ) {
    const sums = rollups[Number(position)]?.sums;
    sums?.durations.addText(String(durations));
    sums?.firstTokens.addText(String(first_tokens));
  }
  const values = rollups.map(({ holders: [team, owner], sums }, position) => ({
    ...keys[position],
    ...{ team, owner },
    ...Object.fromEntries(ROW_SUMS.map(({ member, name }) => [name, sums.sums[member]])),
    durations: sums.durations.toText(),
    first_tokens: sums.firstTokens.toText(),
  }));
  await sql(ADD_ROLLUPS, [JSON.stringify(values)]);
}

function toColumns(row: LedgerRow): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    ROW_COLUMNS.map(({ member, name, type }) => [name, type.toPostgres(row[member])]),
  );
}

/** The number of rows removed in one step. */
const MAX_PRUNED_ROWS = 10_000;

/** With a shorter `keep`, a month would be kept for more than twice as long. */
const MIN_MONTHLY_KEEP = "31 days";

/** The maximum age of a batch, in milliseconds. Gateways do not retry for longer. */
const MAX_BATCH_AGE_MS = 86_400_000;

/**
 * Removes counted requests and hourly sums. With partitions, it drops whole months and deletes
 * older rows; with a short `keep`, it deletes rows from all months.
 *
 * @param before milliseconds since the Unix epoch
 * @param quartersBefore the same for quarter-hour sums
 * @returns whether there may be more
 */
async function pruneRows(
  sql: RunSql,
  before: number,
  quartersBefore: number,
): Promise<boolean> {
  await sql("DELETE FROM sluice_batches WHERE time < to_timestamp($1)", [
    (before - MAX_BATCH_AGE_MS) / 1000,
  ]);
  const hasRows = await pruneRequests(sql, before);
  const sums = { table: SUMS, key: KEY_COLUMNS.join(", "), maxRows: MAX_PRUNED_ROWS };
  return await runSteps(sql, pruneSums(sums, before, quartersBefore)) || hasRows;
}

async function pruneRequests(sql: RunSql, before: number): Promise<boolean> {
  await sql(BEGIN);
  const isPartitioned = await isDivided(sql);
  let tables: readonly string[] = ["sluice_requests"];
  let hasMore = false;
  if (isPartitioned) {
    const age = `now() - to_timestamp($1::double precision)`;
    const [keep] = await sql(`SELECT ${age} >= interval '${MIN_MONTHLY_KEEP}' AS long`, [
      before / 1000,
    ]);
    if (keep?.long === true) tables = ROW_PARTITIONS;
    await addMonths(sql, before);
    hasMore = await dropMonth(sql, before);
    await sql(`COMMIT; ${BEGIN}; ${ALLOW_DELETES}`);
  }
  for (const table of tables) {
    const removed = await sql(
      `DELETE FROM ${table} WHERE row IN (SELECT row FROM ${table} WHERE time < to_timestamp($1)
         AND row <= (SELECT last_row FROM sluice_counted) LIMIT ${MAX_PRUNED_ROWS}) RETURNING 1`,
      [before / 1000],
    );
    if (removed.length === MAX_PRUNED_ROWS) hasMore = true;
  }
  await sql("COMMIT");
  return hasMore;
}

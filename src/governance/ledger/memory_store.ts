/** The last requests in memory: the store of a gateway without a database. */

import type { LedgerRow } from "./row.ts";
import { GroupSums, groupValue } from "./summary.ts";
import type { UsageGroup, UsageQuery, UsageStore, UsageSummary } from "./usage_store.ts";

/** The maximum number of rows. */
const MAX_ROWS = 10_000;

export class MemoryUsageStore implements UsageStore {
  readonly name = "memory";
  /** A ring: the oldest row is replaced first. */
  readonly #rows: LedgerRow[] = [];
  #next = 0;

  write(rows: readonly LedgerRow[]): Promise<void> {
    for (const row of rows) {
      this.#rows[this.#next] = row;
      this.#next = (this.#next + 1) % MAX_ROWS;
    }
    return Promise.resolve();
  }

  summarize({ from, to, groupBy, key }: UsageQuery): Promise<readonly UsageSummary[]> {
    const groups = new Map<string, { group: (string | null)[]; sums: GroupSums }>();
    for (const row of this.#rows) {
      if (row.time < from || row.time >= to) continue;
      if (key !== undefined && row.key !== key) continue;
      for (const group of groupsOf(row, groupBy)) {
        const id = JSON.stringify(group);
        let entry = groups.get(id);
        if (entry === undefined) groups.set(id, entry = { group, sums: new GroupSums() });
        entry.sums.addRow(row);
      }
    }
    return Promise.resolve([...groups.values()].map(({ group, sums }) => sums.toSummary(group)));
  }

  /** The number of rows is the limit here, not their age. */
  prune(): Promise<boolean> {
    return Promise.resolve(false);
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}

/** The groups of a row: one for each of its tags if the rows are grouped by tag, else one. */
function groupsOf(row: LedgerRow, groupBy: readonly UsageGroup[]): (string | null)[][] {
  const tags = groupBy.includes("tag") && row.tags.length > 0 ? row.tags : [null];
  return tags.map((tag) => groupBy.map((group) => group === "tag" ? tag : groupValue(group, row)));
}

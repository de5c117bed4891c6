/** The rows and columns of the console's table: order, empty columns, the rendered part, names. */

import { assertEquals } from "@std/assert";
import {
  renderedRows,
  sortedRows,
  splitName,
  usedColumns,
} from "../../src/console/assets/lib/table_rows.js";

interface Item {
  readonly name: string;
  readonly cost?: number | null;
}

const NAME = { id: "name", of: ({ name }: Item) => name };
const COST = { id: "cost", of: ({ cost }: Item) => cost };
const COLUMNS = [NAME, COST, { id: "chart" }];
const ROWS: readonly Item[] = [
  { name: "key-10", cost: 2 },
  { name: "Key-9", cost: null },
  { name: "key-1", cost: 30 },
  { name: "other", cost: 2 },
];

function names(rows: readonly Item[]): string[] {
  return rows.map(({ name }) => name);
}

Deno.test("sortedRows() compares numbers and names, and puts absent values last", () => {
  assertEquals(names(sortedRows(ROWS, NAME, true)), ["key-1", "Key-9", "key-10", "other"]);
  assertEquals(names(sortedRows(ROWS, NAME, false)), ["other", "key-10", "Key-9", "key-1"]);
  assertEquals(names(sortedRows(ROWS, COST, true)), ["key-10", "other", "key-1", "Key-9"]);
  assertEquals(names(sortedRows(ROWS, COST, false)), ["key-1", "key-10", "other", "Key-9"]);
  assertEquals(names(sortedRows(ROWS, undefined, true)), names(ROWS));
});

Deno.test("usedColumns() drops a column without any value, unless it sorts the rows", () => {
  const ids = (rows: readonly Item[], sorted: string) =>
    usedColumns(COLUMNS, rows, sorted).map(({ id }) => id);
  assertEquals(ids(ROWS, "name"), ["name", "cost", "chart"]);
  assertEquals(ids([{ name: "a" }, { name: "b", cost: null }], "name"), ["name", "chart"]);
  assertEquals(ids([{ name: "a" }], "cost"), ["name", "cost", "chart"]);
  assertEquals(ids([], "name"), ["name", "cost", "chart"]);
});

Deno.test("renderedRows() has all visible rows and few others", () => {
  const view = { count: 10_000, height: 32, top: 100, bottom: 900 };
  for (const scrolled of [0, 1, 31, 5000, 160_000, 319_200]) {
    const start = 100 - scrolled;
    const { from, to } = renderedRows({ ...view, start });
    const [first, last] = [Math.floor(scrolled / 32), Math.ceil((scrolled + 800) / 32)];
    assertEquals(from <= first && to >= Math.min(last, 10_000), true, String(scrolled));
    assertEquals(to - from <= 80, true, `${from} to ${to}`);
  }
  const below = renderedRows({ ...view, start: 5000 });
  assertEquals(below, { from: 0, to: 32 });
  const short = { count: 3, height: 32, start: -9000, top: 0, bottom: 900 };
  assertEquals(renderedRows(short), { from: 0, to: 3 });
});

Deno.test("splitName() keeps the last characters of a long name, from a separator if there is one", () => {
  assertEquals(splitName("short-name"), ["short-name", ""]);
  assertEquals(splitName("prod-customer-support-assistant-eu-west-1-realtime-failover1"), [
    "prod-customer-support-assistant-eu-west-1-realtime",
    "-failover1",
  ]);
  assertEquals(splitName("a".repeat(40)), ["a".repeat(30), "a".repeat(10)]);
  assertEquals(splitName("😀".repeat(30)), ["😀".repeat(20), "😀".repeat(10)]);
});

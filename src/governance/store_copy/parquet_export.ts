/**
 * A store's individual requests as Apache Parquet
 * (https://github.com/apache/parquet-format/blob/master/LogicalTypes.md, 2026-11-26).
 */

import { ByteWriter } from "hyparquet-writer/src/bytewriter.js";
import { ParquetWriter } from "hyparquet-writer/src/parquet-writer.js";
import { VERSION } from "../../core/version.ts";
import { EXPORTED_COLUMNS, type RequestEncoder } from "./request_export.ts";
import type { CopiedColumn, CopiedRow, CopiedValue, ValueKind } from "./copy.ts";
import { fromStored } from "../ledger/column_types.ts";

/** The number of rows in a row group, which is held in memory (10 to 20 MB). */
const GROUP_ROWS = 20_000;

type SchemaElement = ConstructorParameters<typeof ParquetWriter>[0]["schema"][number];

/**
 * Row groups of {@linkcode GROUP_ROWS} requests, compressed with Snappy. Times are timestamps in
 * UTC, tags a list, prices and attempts JSON. Unknown values are null.
 */
export class ParquetEncoder implements RequestEncoder {
  readonly #bytes = new ByteWriter();
  readonly #file: ParquetWriter;
  readonly #groupRows: number;
  #rows: CopiedRow[] = [];

  /** @param groupRows the number of rows in a row group */
  constructor(groupRows = GROUP_ROWS) {
    this.#groupRows = groupRows;
    this.#file = new ParquetWriter({
      writer: this.#bytes,
      schema: [{ name: "requests", num_children: EXPORTED_COLUMNS.length }, ...SCHEMA],
      createdBy: `sluice version ${VERSION}`,
    });
  }

  begin(): Uint8Array {
    return this.#take();
  }

  add(rows: readonly CopiedRow[]): Uint8Array {
    for (const row of rows) {
      this.#rows.push(row);
      if (this.#rows.length === this.#groupRows) this.#writeGroup();
    }
    return this.#take();
  }

  end(): Uint8Array {
    this.#writeGroup();
    void this.#file.finish();
    return this.#take();
  }

  #writeGroup(): void {
    const rows = this.#rows;
    this.#rows = [];
    if (rows.length === 0) return;
    const columnData = EXPORTED_COLUMNS.map(({ name, kind, of }) => {
      const convert = CONVERT[kind];
      const data = rows.map((row) => {
        const value = of(row);
        return value === null ? null : convert(value);
      });
      return { name, data };
    });
    void this.#file.write({ columnData, rowGroupSize: rows.length });
  }

  /** The bytes since the last call. The writer continues at its offset, with an empty buffer. */
  #take(): Uint8Array {
    const bytes = this.#bytes.getBytes().slice();
    this.#bytes.index = 0;
    return bytes;
  }
}

const CONVERT: Readonly<Record<ValueKind, (value: Exclude<CopiedValue, null>) => unknown>> = {
  integer: toBigInt,
  instant: toBigInt,
  time: toBigInt,
  real: Number,
  text: (value) => fromStored(String(value)),
  list: (value) => (value as readonly string[]).map(fromStored),
  json: (value) => value,
};

function toBigInt(value: CopiedValue): bigint {
  return BigInt(Number(value));
}

const SCHEMA: readonly SchemaElement[] = EXPORTED_COLUMNS.flatMap(toElements);

function toElements({ name, kind }: CopiedColumn): SchemaElement[] {
  const column = { name, repetition_type: "OPTIONAL" } as const;
  switch (kind) {
    case "integer":
    case "instant":
      return [{ ...column, type: "INT64" }];
    case "real":
      return [{ ...column, type: "DOUBLE" }];
    case "text":
      return [{ ...column, type: "BYTE_ARRAY", converted_type: "UTF8" }];
    case "json":
      return [{ ...column, type: "BYTE_ARRAY", converted_type: "JSON" }];
    case "time":
      return [{
        ...column,
        type: "INT64",
        converted_type: "TIMESTAMP_MILLIS",
        logical_type: { type: "TIMESTAMP", isAdjustedToUTC: true, unit: "MILLIS" },
      }];
    case "list":
      return [
        { ...column, num_children: 1, converted_type: "LIST", logical_type: { type: "LIST" } },
        { name: "list", num_children: 1, repetition_type: "REPEATED" },
        {
          name: "element",
          repetition_type: "REQUIRED",
          type: "BYTE_ARRAY",
          converted_type: "UTF8",
        },
      ];
  }
}

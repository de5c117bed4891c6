/** The contract of a statement that a database runs. */

/** A query, with a placeholder for each of its values. */
export interface SqlQuery {
  readonly text: string;
  readonly values: readonly (number | string)[];
}

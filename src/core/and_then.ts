/** Values that are there at once or later. */

/** Goes on with a value: at once if it is there. */
export function andThen<Value, Result>(
  value: Value | Promise<Value>,
  next: (value: Value) => Result | Promise<Result>,
): Result | Promise<Result> {
  return value instanceof Promise ? value.then(next) : next(value);
}

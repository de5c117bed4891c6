/** Thrown for an invalid command line. The message says what is valid. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

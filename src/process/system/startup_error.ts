/** The error of a process that cannot start. */

/** The process cannot start as configured. */
export class StartError extends Error {
  override readonly name = "StartError";
}

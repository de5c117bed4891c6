/** The reasoning state of a stream that the caller does not have yet. */

/**
 * Entries of `reasoning_details`, in their order. Decoders send them in one delta at the end, since
 * some clients of chat completions keep only the last one; writers of other formats read them as
 * soon as the decoder has them.
 */
export class PendingDetails {
  /** The entries that the decoder has so far. */
  read: () => readonly unknown[] = () => [];
  /** The number of entries of the decoder that were taken. */
  #taken = 0;
  #pushed: unknown[] = [];

  /** Adds the entries of a delta. They may repeat those that the decoder had before. */
  push(entries: readonly unknown[]): void {
    if (this.read().length >= entries.length) return;
    for (const entry of entries.slice(this.#taken)) this.#pushed.push(entry);
  }

  /** The entries that were not taken yet. */
  take(): readonly unknown[] {
    const known = this.read();
    const entries = [...known.slice(this.#taken), ...this.#pushed];
    this.#taken = Math.max(this.#taken, known.length);
    this.#pushed = [];
    return entries;
  }
}

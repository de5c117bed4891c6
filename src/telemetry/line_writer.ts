/** Lines for a reader that may be slow or gone. Whoever writes one never waits. */

/** Lines are written together up to this many characters. */
const MAX_BATCH_CHARS = 64 * 1024;

/** What a {@linkcode LineWriter} needs. */
export interface LineWriterOptions {
  /** Writes a text to its end; rejects when that is not possible. */
  readonly write: (text: string) => Promise<void>;
  /** The most characters that wait to be written. */
  readonly maxChars: number;
  /** The line, with its newline, that says how many lines are missing before it. */
  readonly toLossLine: (count: number) => string;
  /** Called with the number of lines whenever some are dropped. */
  readonly onDrop?: (count: number) => void;
}

/**
 * Writes lines in their order, one batch at a time. Lines that do not fit, and
 * those that could not be written, are dropped whole; when writing has caught
 * up, one line says how many.
 */
export class LineWriter {
  readonly #options: LineWriterOptions;
  /** Batches of whole lines, oldest first. */
  readonly #batches: string[] = [];
  /** Characters that wait, those of the batch that is being written included. */
  #size = 0;
  /** Lines that were dropped and not told of. */
  #dropped = 0;
  #writing: Promise<void> | undefined;

  constructor(options: LineWriterOptions) {
    this.#options = options;
  }

  /** Takes one or more lines, each with its newline. */
  push(lines: string): void {
    if (this.#size + lines.length > this.#options.maxChars) return this.#drop(lines);
    this.#size += lines.length;
    const last = this.#batches.length - 1;
    const open = this.#batches[last];
    if (open === undefined || open.length + lines.length > MAX_BATCH_CHARS) {
      this.#batches.push(lines);
    } else {
      this.#batches[last] = open + lines;
    }
    this.#writing ??= this.#run();
  }

  /** Resolves when everything that waits is written or dropped. */
  async flush(): Promise<void> {
    await this.#writing;
  }

  async #run(): Promise<void> {
    for (;;) {
      const batch = this.#batches.shift();
      if (batch === undefined) break;
      const isWritten = await this.#tryToWrite(batch);
      this.#size -= batch.length;
      if (!isWritten) this.#drop(batch);
      else if (this.#batches.length === 0) await this.#tellOfLoss();
    }
    this.#writing = undefined;
  }

  /** Only after a success: while nothing can be written, this could not be either. */
  async #tellOfLoss(): Promise<void> {
    const count = this.#dropped;
    if (count > 0 && await this.#tryToWrite(this.#options.toLossLine(count))) {
      this.#dropped -= count;
    }
  }

  /** A reader that is gone may come back, as room on a disk does: each batch is tried. */
  async #tryToWrite(text: string): Promise<boolean> {
    try {
      await this.#options.write(text);
      return true;
    } catch {
      return false;
    }
  }

  #drop(lines: string): void {
    const count = lines.split("\n").length - 1;
    this.#dropped += count;
    this.#options.onDrop?.(count);
  }
}

/** Writes lines to an output whose reader may be slow or closed. Callers never wait. */

/** The maximum size of a batch of lines that is written at once, in UTF-16 units. */
const MAX_BATCH_CHARS = 64 * 1024;

/** The options of a {@linkcode LineWriter}. */
export interface LineWriterOptions {
  /** Writes a whole text; rejects on failure. */
  readonly write: (text: string) => Promise<void>;
  /** Returns the maximum size of the queue, in UTF-16 units. */
  readonly maxChars: () => number;
  /** Returns the line, with its newline, that reports how many preceding lines were dropped. */
  readonly toLossLine: (count: number) => string;
  /** Called with the number of lines when lines are dropped. */
  readonly onDrop?: (count: number) => void;
}

/**
 * Writes lines in order, one batch at a time. Lines that do not fit into the queue or cannot be
 * written are dropped whole. After the next write that empties the queue, one line reports how
 * many.
 */
export class LineWriter {
  readonly #options: LineWriterOptions;
  /** Batches of whole lines, oldest first. */
  readonly #batches: string[] = [];
  /** The size of the queue, including the batch that is being written. */
  #queuedChars = 0;
  /** The number of dropped lines not yet reported. */
  #dropped = 0;
  #writing: Promise<void> | undefined;

  constructor(options: LineWriterOptions) {
    this.#options = options;
  }

  /** Whether no line is queued. */
  get isEmpty(): boolean {
    return this.#writing === undefined;
  }

  /** Queues one or more lines, each with its newline. */
  push(lines: string): void {
    if (this.#queuedChars + lines.length > this.#options.maxChars()) return this.#drop(lines);
    this.#queuedChars += lines.length;
    const last = this.#batches.length - 1;
    const open = this.#batches[last];
    if (open === undefined || open.length + lines.length > MAX_BATCH_CHARS) {
      this.#batches.push(lines);
    } else {
      this.#batches[last] = open + lines;
    }
    this.#writing ??= this.#run();
  }

  /** Resolves when all queued lines are written or dropped. */
  async flush(): Promise<void> {
    await this.#writing;
  }

  async #run(): Promise<void> {
    for (;;) {
      const batch = this.#batches.shift();
      if (batch === undefined) break;
      const isWritten = await this.#tryToWrite(batch);
      this.#queuedChars -= batch.length;
      if (!isWritten) this.#drop(batch);
      else if (this.#batches.length === 0) await this.#reportLoss();
    }
    this.#writing = undefined;
  }

  /** Called only after a successful write, since otherwise this write would also fail. */
  async #reportLoss(): Promise<void> {
    const count = this.#dropped;
    if (count > 0 && await this.#tryToWrite(this.#options.toLossLine(count))) {
      this.#dropped -= count;
    }
  }

  /** Each batch is tried, since the output may recover, for example when a disk has space again. */
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

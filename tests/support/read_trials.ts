/** How tests try the endpoints of operations: each folder of an operation has its `endpoint_trials.ts`. */

/** How an endpoint is tried. */
export interface Trial {
  /** The name of the endpoint in explanations. */
  readonly name: string;
  readonly operation: string;
  readonly path: string;
  readonly members: Readonly<Record<string, unknown>>;
  /** The name of the file of a form; absent for JSON. */
  readonly file?: string;
  /** The kind of the second provider. Default: `openai_compatible`. */
  readonly secondKind?: string;
  /** The answer of the second provider. */
  readonly answer: unknown;
  /** A limit that one request uses up, and the column of what it has used. */
  readonly limit: readonly [name: string, amount: number, column?: string];
  /**
   * For features that change requests and answers: the kind of the provider, members with the words
   * "an apple", and an answer of the vendor with "Hello".
   */
  readonly featured?: {
    readonly kind: string;
    readonly members: Readonly<Record<string, unknown>>;
    readonly answer: unknown;
  };
  /** True if the mock lacks the operation. */
  readonly lacksMock?: true;
}

const TESTS = new URL("../", import.meta.url);

async function readTrials(folder: string): Promise<readonly Trial[]> {
  const file = new URL(`${folder}/endpoint_trials.ts`, TESTS);
  const hasFile = await Deno.stat(file).then(() => true, () => false);
  return hasFile ? (await import(file.href)).trials : [];
}

/** The trials of all folders. */
export async function allTrials(): Promise<readonly Trial[]> {
  const folders: string[] = [];
  for await (const { name, isDirectory } of Deno.readDir(TESTS)) {
    if (isDirectory) folders.push(name);
  }
  return (await Promise.all(folders.toSorted().map(readTrials))).flat();
}

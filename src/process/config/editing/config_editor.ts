/** Runs admin calls on the configuration and its file. */

import type { Config } from "../../../config/config.ts";
import { ConfigErrors } from "../../../config/config_errors.ts";
import type {
  ConfigCall,
  ConfigProblem,
  ConfigRefusal,
  ConfigResult,
  RunConfigCall,
  ShownConfig,
} from "../../../config/editing/changes.ts";
import { toProblems } from "../../../config/editing/examine_text.ts";
import type { ConfigWithSnapshot, Snapshot } from "../../../config/snapshot.ts";
import { systemClock } from "../../../core/clock.ts";
import { randomBytes } from "../../../core/ids.ts";
import { CallError } from "../../../core/open_calls.ts";
import { isPipe, readEnvironment } from "../../system/files.ts";
import { logMessage } from "../../system/stdio.ts";
import { BUILT_IN, type ConfigOptions, createSecrets, loadText } from "../load_config.ts";
import { type LiveConfig, type ReloadOptions, reloadOptions } from "../reload.ts";
import { ChangedFile, codeOf, ConfigFile } from "./config_file.ts";
import { TextThread } from "./text_thread.ts";

const KEY_BYTES = 32;

/** The dependencies of the editor. */
interface EditorOptions {
  readonly live: () => LiveConfig;
  /** The snapshot of the configuration in use. */
  readonly snapshot: () => Snapshot;
  /** Loads a text as a reload would. @throws {ConfigErrors} when it has errors. */
  readonly loadText: (text: string) => Promise<ConfigWithSnapshot>;
  /** Resolves when all threads use the configuration of the last reload. */
  readonly applied: () => Promise<void>;
  /** The reason why a reload would keep the current configuration. */
  readonly faultsOf: (current: Config, next: Config) => readonly string[];
}

/** Creates the function that runs calls, one after another. */
function createConfigEditor(options: EditorOptions): RunConfigCall {
  const editor = new ConfigEditor(options);
  let last: Promise<unknown> = Promise.resolve();
  return (call) => {
    const result = last.then(() => editor.run(call));
    last = result.catch(() => {});
    return result;
  };
}

/** The text must not be written, because of these problems. */
class InvalidText extends Error {
  override readonly name = "InvalidText";
  readonly problems: readonly ConfigProblem[];

  constructor(problems: readonly ConfigProblem[]) {
    super("The text has problems");
    this.problems = problems;
  }
}

class ConfigEditor {
  readonly #options: EditorOptions;
  readonly #key = randomBytes(KEY_BYTES);
  readonly #thread = new TextThread();

  constructor(options: EditorOptions) {
    this.#options = options;
  }

  /** Runs a call. Failures are results. */
  async run(call: ConfigCall): Promise<ConfigResult> {
    try {
      return await this.#run(call);
    } catch (thrown) {
      if (thrown instanceof ChangedFile) return refused({ reason: "changed" });
      if (thrown instanceof InvalidText) return { type: "invalid", problems: thrown.problems };
      if (thrown instanceof CallError) {
        logMessage(`an edited configuration cannot be checked: ${thrown.message}`, "warn");
        return refused({ reason: "too_slow" });
      }
      throw thrown;
    }
  }

  async #run(call: ConfigCall): Promise<ConfigResult> {
    switch (call.type) {
      case "show":
        return { type: "shown", shown: await this.#show(call.comments) };
      case "show_version": {
        const text = this.#openFile()?.readVersion(call.id);
        if (text === undefined) return refused({ reason: "unknown_version" });
        const [masked = ""] = await this.#thread.run({
          type: "mask",
          texts: [text],
          key: this.#key,
          comments: call.comments,
        });
        return { type: "text", text: masked };
      }
      case "check": {
        const snapshot = this.#options.snapshot();
        const check = await this.#thread.run({
          ...{ type: "check", text: call.text, snapshot, key: this.#key },
        });
        return { type: "checked", check };
      }
      case "form": {
        const result = await this.#thread.run(call);
        return "refusal" in result
          ? { type: "form_refused", message: result.refusal }
          : { type: "form", form: result };
      }
      case "save":
        return await this.#save(call);
    }
  }

  async #show(comments: boolean): Promise<ShownConfig> {
    const live = this.#options.live();
    const { source, loadedAt } = live.current;
    const { text } = this.#options.snapshot();
    const file = this.#openFile();
    const content = file === undefined ? undefined : readIfPossible(file);
    const own = content === undefined || content.replace(/^\uFEFF/, "") === text ? [] : [content];
    const [masked = "", fileText] = await this.#thread.run({
      ...{ type: "mask", texts: [text, ...own], key: this.#key, comments },
    });
    const { stale } = live;
    return {
      ...{ source, loadedAt, fileText, stale },
      text: masked,
      hash: content === undefined ? undefined : file?.hashOf(content),
      readOnly: this.#findObstacle(file),
      versions: file?.versions() ?? [],
    };
  }

  /** The file; undefined if the configuration does not come from a file that can be read again. */
  #openFile(): ConfigFile | undefined {
    const { source } = this.#options.live().current;
    if (source === BUILT_IN || isPipe(source)) return undefined;
    try {
      return new ConfigFile(source, this.#key);
    } catch {
      return undefined;
    }
  }

  #findObstacle(file: ConfigFile | undefined): string | undefined {
    if (file === undefined) return "the configuration does not come from a regular file";
    // Without a file, nothing is written, not even to check permissions.
    if (!this.#options.live().current.hasConfigEditor) return "no admin key has 'edit_config'";
    if (Deno.permissions.querySync({ name: "write" }).state !== "granted") {
      return "the process has given up the permission to write; no admin key had 'edit_config' " +
        "at its start";
    }
    return file.findObstacle();
  }

  async #save(
    { text, hash, admin, reason }: Extract<ConfigCall, { readonly type: "save" }>,
  ): Promise<ConfigResult> {
    const file = this.#openFile();
    const detail = this.#findObstacle(file);
    if (file === undefined || detail !== undefined) {
      return refused({ reason: "read_only", detail: detail ?? "there is no file" });
    }
    try {
      const toText = (before: string) => this.#toValidText(text, before, file);
      await file.replace({ hash, toText, by: admin, reason, now: systemClock.wallTime() });
    } catch (thrown) {
      if (isOurs(thrown)) throw thrown;
      return refused({ reason: "read_only", detail: `it cannot be written (${codeOf(thrown)})` });
    }
    await this.#options.live().reload();
    await this.#options.applied();
    return { type: "saved", shown: await this.#show(true) };
  }

  /** The text with its secrets and the line endings of the file, after all checks of a reload. */
  async #toValidText(text: string, before: string, file: ConfigFile): Promise<string> {
    const versions = file.versions().map(({ id }) => file.readVersion(id) ?? "");
    const { text: inUse } = this.#options.snapshot();
    const texts = [...versions, inUse, before];
    const key = this.#key;
    const restored = await this.#thread.run({ type: "restore", text, texts, key });
    const unknown = restored.unknownLines.map((line) => ({ path: "", line, message: UNKNOWN }));
    if (unknown.length > 0) throw new InvalidText(unknown);
    // Checked in a thread with a time limit, before the files and secrets that it names are read.
    const snapshot = this.#options.snapshot();
    const { problems } = await this.#thread.run({ type: "check", text, snapshot, key });
    if (problems.length > 0) throw new InvalidText(problems);
    const complete = withFormOf(before, restored.text);
    const next = await this.#load(complete);
    const faults = [
      ...this.#options.faultsOf(this.#options.live().current, next),
      ...(next.hasConfigEditor ? [] : [LOCKED_OUT]),
    ];
    if (faults.length === 0) return complete;
    throw new InvalidText(faults.map((message) => ({ path: "", message })));
  }

  async #load(text: string): Promise<Config> {
    try {
      return (await this.#options.loadText(text.replace(/^\uFEFF/, ""))).config;
    } catch (thrown) {
      if (thrown instanceof ConfigErrors) throw new InvalidText(await toProblems(thrown));
      throw thrown;
    }
  }
}

const LOCKED_OUT = "No admin key would have 'edit_config', so that nobody could save another " +
  "configuration here: change the file itself for that";

const UNKNOWN = "The hidden value is no longer known: write the value or a reference";

function refused(refusal: ConfigRefusal): ConfigResult {
  return { type: "refused", refusal };
}

function isOurs(thrown: unknown): boolean {
  return thrown instanceof ChangedFile || thrown instanceof InvalidText ||
    thrown instanceof CallError;
}

function readIfPossible(file: ConfigFile): string | undefined {
  try {
    return file.read();
  } catch {
    return undefined;
  }
}

/** Browsers change line breaks and drop a byte order mark. */
function withFormOf(before: string, text: string): string {
  const lines = text.replaceAll("\r\n", "\n").replace(/^\uFEFF/, "");
  const isDos = before.includes("\r\n") && !/(?<!\r)\n/.test(before);
  return (before.startsWith("\uFEFF") ? "\uFEFF" : "") +
    (isDos ? lines.replaceAll("\n", "\r\n") : lines);
}

/** The parts of a gateway that the editor needs. */
export interface EditedGateway {
  readonly command: ConfigOptions;
  readonly first: Config;
  /** The host name or IP address of the main listener. */
  readonly hostname: string;
  readonly live: () => LiveConfig;
  /** The snapshot of the configuration in use. */
  readonly snapshot: () => Snapshot;
  /** Resolves when all threads use the configuration of the last reload. Default: at once. */
  readonly applied?: () => Promise<void>;
}

/** Creates the function that runs admin calls on the configuration. */
export function createEditor(
  { command, first, hostname, live, snapshot, applied = () => Promise.resolve() }: EditedGateway,
): RunConfigCall {
  const { faultsOf = noFaults } = reloadOptions(command, first, hostname);
  return createConfigEditor({
    ...{ live, snapshot, applied, faultsOf },
    async loadText(text) {
      const env = readEnvironment();
      // A rejected text must not change which secrets the gateway follows.
      const secrets = createSecrets();
      await secrets.prepare(text, env);
      const { source } = live().current;
      return await loadText({ text, source }, { ...command, secrets }, env);
    },
  });
}

const noFaults: NonNullable<ReloadOptions["faultsOf"]> = () => [];

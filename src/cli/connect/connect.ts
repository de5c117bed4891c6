/** Runs `sluice connect`. */

import { aligned } from "../../providers/support_matrix.ts";
import type { AdminOutput } from "../admin_output.ts";
import { didYouMean } from "../../core/validation_messages.ts";
import type { SettingsFile } from "../../process/system/settings_file.ts";
import { UsageError } from "../usage_error.ts";
import type { ConnectCommand } from "./arguments.ts";
import type { Client, ClientFile, ClientTarget, Places } from "../../clients/client.ts";
import { CLIENTS } from "../../clients/clients.ts";
import { SettingsError } from "../../clients/edits.ts";
import { toDiff } from "./line_diff.ts";
import { printFile } from "../../clients/printed.ts";
import { applySettings, restoreSettings } from "../../clients/settings_text.ts";

export { SettingsError } from "../../clients/edits.ts";

/** What the command needs from the process. */
export interface ConnectDeps {
  readonly places: Places;
  /** Opens a settings file, which may not exist. Throws when it cannot be read. */
  readonly open: (path: string) => SettingsFile;
  /** Prints a text, and asks whether to continue. Undefined without a terminal. */
  readonly ask: ((text: string, question: string) => Promise<boolean>) | undefined;
}

/**
 * Runs a command for one client.
 *
 * @throws {SettingsError} when the settings cannot be changed.
 * @throws {UsageError} for an invalid option.
 */
export async function runConnect(
  { action, client: id = "", writes, options }: ConnectCommand,
  target: ClientTarget,
  deps: ConnectDeps,
): Promise<AdminOutput> {
  if (action === "list") return { text: toList(target, deps.places) };
  const client = findClient(id);
  const files = withFile(client, client.files(target, deps.places), options.get("file"));
  const steps = toSteps(client, target, deps.places);
  if (action === "print" || files.length === 0) {
    if (action === "undo") throw new SettingsError(`${client.title} has no file to restore`);
    return { text: [...files.map(toPrinted), steps].join("\n") };
  }
  const changes = files.map((file) => planChange(file, action === "undo", deps));
  const changed = changes.filter(({ before, after }) => after !== before);
  if (changed.length === 0) {
    if (action === "change") return { text: steps, note: "The settings are set already" };
    // The backup has done its duty.
    for (const { settingsFile } of changes) settingsFile.restore();
    return { text: "", note: "The settings are restored already" };
  }
  const diff = changed.map(toPrintedDiff).join("\n");
  if (!writes) {
    if (deps.ask === undefined) return { text: diff, note: "Nothing is written without --write" };
    if (!await deps.ask(diff, "Write these changes?")) return { text: "", note: NOTHING_WRITTEN };
  }
  for (const { settingsFile, after } of changes) {
    if (action === "undo") settingsFile.restore(after);
    else settingsFile.write(after);
  }
  const shown = writes ? `${diff}\n` : "";
  return action === "undo" ? { text: shown.trimEnd() } : { text: shown + steps };
}

const NOTHING_WRITTEN = "Nothing is written";

function findClient(id: string): Client {
  const client = CLIENTS.get(id);
  if (client !== undefined) return client;
  const near = didYouMean(id, [...CLIENTS.keys()]);
  const hint = near === undefined
    ? `known: ${[...CLIENTS.keys()].join(", ")}`
    : `did you mean '${near}'?`;
  throw new UsageError(`Unknown client '${id}'; ${hint}`);
}

/** @throws {UsageError} when `--file` is set for a client without exactly one file. */
function withFile(
  { title }: Client,
  files: readonly ClientFile[],
  path: string | undefined,
): readonly ClientFile[] {
  if (path === undefined) return files;
  const [file, other] = files;
  if (file === undefined || other !== undefined) {
    throw new UsageError(`--file is only valid for clients with one file, unlike ${title}`);
  }
  return [{ ...file, path }];
}

/** A change of one file. */
interface Change {
  readonly settingsFile: SettingsFile;
  readonly before: string;
  readonly after: string;
}

/** @throws {SettingsError} when the file cannot be changed. */
function planChange(file: ClientFile, isUndo: boolean, { open }: ConnectDeps): Change {
  const { path, format, settings, whyNotCreated } = file;
  const settingsFile = open(path);
  const { text, backup } = settingsFile;
  if (isUndo && backup === undefined) {
    throw new SettingsError(`Cannot restore ${path}: 'sluice connect' has not changed it`);
  }
  if (!isUndo && text === undefined && whyNotCreated !== undefined) {
    throw new SettingsError(`Cannot create ${path}: ${whyNotCreated}`);
  }
  const before = text ?? "";
  try {
    const after = isUndo && backup !== undefined
      ? restoreSettings(before, backup, format, settings)
      : applySettings(before, format, settings);
    return { settingsFile, before, after };
  } catch (thrown) {
    if (!(thrown instanceof SettingsError)) throw thrown;
    throw new SettingsError(`Cannot change ${path}: ${thrown.message}`);
  }
}

function toPrintedDiff({ settingsFile: { path, text }, before, after }: Change): string {
  const isNew = text === undefined ? " (new file)" : "";
  return `${path}${isNew}\n${toDiff(before, after)}`;
}

function toPrinted(file: ClientFile): string {
  const { path, text } = printFile(file);
  return `${path}:\n\n${text}`;
}

function toSteps(client: Client, target: ClientTarget, places: Places): string {
  const steps = client.steps(target, places);
  return steps.length === 0 ? "" : `${client.title}:\n\n${steps.join("\n")}\n`;
}

function toList(target: ClientTarget, places: Places): string {
  const rows = [...CLIENTS.values()].map((client) => {
    const paths = client.files(target, places).map(({ path }) => path);
    return [client.id, client.title, paths.length === 0 ? "printed, no file" : paths.join(", ")];
  });
  return aligned([["CLIENT", "NAME", "FILES"], ...rows]) + "\n";
}

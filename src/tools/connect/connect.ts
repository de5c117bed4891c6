/** Runs `sluice connect`. */

import { aligned } from "../../providers/support_matrix.ts";
import { didYouMean } from "../../core/validation_messages.ts";
import { SettingsFile } from "../../process/system/settings_file.ts";
import type { ConnectCommand } from "./arguments.ts";
import type {
  Client,
  ClientFile,
  ClientModel,
  ClientTarget,
  Places,
} from "../../clients/client.ts";
import { CLIENTS, printFile } from "../../clients/printed.ts";
import { SettingsError } from "../../clients/edits.ts";
import { applySettings, restoreSettings } from "../../clients/settings_text.ts";
import type { Config } from "../../config/config.ts";
import { isForChats, modelsOfConfig, type ModelSource, targetOf } from "../../clients/target.ts";
import {
  AdminClient,
  AdminError,
  type AdminOutput,
  entriesOf,
  toBase,
  UsageError,
} from "../admin_client.ts";
import { type Environment, fileExists, operatingSystem } from "../../process/system/files.ts";
import { questioner, StartError } from "../../process/system/stdio.ts";
import { isObject, type JsonObject } from "../../core/json/object.ts";
import { diff } from "node:util";

/** The dependencies of the command. Exported for tests. */
export interface ConnectDeps {
  readonly places: Places;
  /** Opens a settings file, which may not exist. Throws when it cannot be read. */
  readonly open: (path: string) => SettingsFile;
  /** Prints text and asks for confirmation. Undefined without a terminal. */
  readonly ask: ((text: string, question: string) => Promise<boolean>) | undefined;
}

/**
 * Runs a command for one client. Exported for tests.
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
    // The backup is no longer needed.
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

/** A change to one file. */
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

/** The models in the response of `GET /v1/models`. Exported for tests. */
export function modelsOfAnswer(answer: JsonObject): ModelSource {
  const entries = entriesOf(answer);
  const all = entries.map((entry): ClientModel => ({
    id: String(entry.id),
    name: typeof entry.display_name === "string" ? entry.display_name : String(entry.id),
    contextWindow: numberOf(entry.context_window),
    maxOutputTokens: numberOf(entry.max_output_tokens),
    vision: isObject(entry.capabilities) ? booleanOf(entry.capabilities.vision) : undefined,
  }));
  const forChats = entries.map((entry) => isForChats(String(entry.id), String(entry.root), entry));
  return {
    models: all.filter((_, index) => forChats[index]),
    find: (id) => all.find((model) => model.id === id),
  };
}

function numberOf(value: unknown): number | undefined {
  return typeof value === "number" ? value : undefined;
}

function booleanOf(value: unknown): boolean | undefined {
  return typeof value === "boolean" ? value : undefined;
}

/**
 * The target with the models that the options select. Exported for tests.
 *
 * @param origin the address of the gateway without `/v1`
 * @throws {UsageError} when the gateway has no such model.
 */
export function toTarget(
  origin: string,
  source: ModelSource,
  options: ReadonlyMap<string, string>,
): ClientTarget {
  const find = (id: string): ClientModel => {
    const model = source.find(id);
    if (model !== undefined) return model;
    const near = didYouMean(id, source.models.map((known) => known.id));
    const hint = near === undefined ? "" : `; did you mean '${near}'?`;
    throw new UsageError(`The gateway has no model '${id}'${hint}`);
  };
  const choose = (option: string) => {
    const id = options.get(option);
    return id === undefined ? undefined : find(id);
  };
  const target = targetOf(origin, {
    listed: options.get("models")?.split(",").map((id) => find(id.trim())) ?? source.models,
    model: choose("model"),
    smallModel: choose("small-model"),
  });
  if (target === undefined) throw new UsageError("The gateway has no model that answers chats");
  return target;
}

/** The address of the gateway without `--url`. */
interface LocalGateway {
  readonly env: Environment;
  readonly origin: () => string;
  readonly config: () => Promise<Config>;
}

/**
 * Runs a command.
 *
 * @throws {StartError} when the settings cannot be changed, or the gateway cannot be reached.
 * @throws {UsageError} for an invalid option.
 */
export async function connectClient(
  command: ConnectCommand,
  local: LocalGateway,
): Promise<AdminOutput> {
  const { options } = command;
  const url = options.get("url");
  try {
    const origin = url === undefined ? local.origin() : toBase(url);
    const source = url === undefined
      ? modelsOfConfig(await local.config())
      : await modelsOfGateway(origin, local.env);
    return await runConnect(command, toTarget(origin, source, options), {
      places: { os: operatingSystem(), env: local.env, exists: fileExists },
      open: (path) => new SettingsFile(path),
      ask: questioner(),
    });
  } catch (thrown) {
    if (!(thrown instanceof SettingsError) && !(thrown instanceof AdminError)) throw thrown;
    throw new StartError(thrown.message);
  }
}

/**
 * @throws {StartError} without a key. @throws {AdminError} when the gateway rejects the request.
 */
async function modelsOfGateway(origin: string, env: Environment): Promise<ModelSource> {
  const key = env("SLUICE_API_KEY")?.trim() ?? "";
  if (!/^[!-~]+$/.test(key)) {
    throw new StartError("Set SLUICE_API_KEY to a service key of the gateway, to read its models");
  }
  return modelsOfAnswer(await new AdminClient(origin, key).json("GET", "/v1/models"));
}

/** The number of unchanged lines shown around changes. */
const CONTEXT = 3;

/** The signs of lines: in both texts, in the first one, in the second one. */
const SIGNS = new Map([[0, " "], [1, "-"], [-1, "+"]]);

/**
 * Prints a unified diff without line numbers; `@@` separates distant changes. The values of keys
 * and tokens are hidden in lines that are not new.
 */
function toDiff(before: string, after: string): string {
  const lines = diff(toLines(before), toLines(after));
  const isShown = lines.map((_, index) =>
    lines.slice(Math.max(0, index - CONTEXT), index + CONTEXT + 1).some(([type]) => type !== 0)
  );
  let printed = "";
  for (const [index, [type, text]] of lines.entries()) {
    if (!isShown[index]) continue;
    if (!isShown[index - 1] && index > 0) printed += "@@\n";
    const sign = SIGNS.get(type);
    printed += `${sign}${sign === "+" ? text : withoutSecrets(text)}\n`;
  }
  return printed;
}

function toLines(text: string): readonly string[] {
  const lines = text.split(/\r?\n/);
  return lines.at(-1) === "" ? lines.slice(0, -1) : lines;
}

const SECRET = /((?:key|token|secret|password)[\w-]*["']?\s*[:=]\s*["']?)(?![${])[^"'\s,#]{8,}/gi;

function withoutSecrets(line: string): string {
  return line.replace(SECRET, "$1…");
}

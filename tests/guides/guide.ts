/**
 * Runs a guide of `docs/guides` as its reader would: writes its files into an empty folder, types
 * its commands into one shell, and compares what comes out with what the guide says.
 *
 * In the Markdown source of a guide:
 * - a block of `sh` is typed; a block of `text` after it is what comes out, where `…` stands for
 *   any text, and a line that is only `…` for any lines;
 * - a block whose info string names a file, such as `yaml config.yaml`, is written to that file;
 * - `<!-- second terminal -->` before a block starts it in the background, until its port is open:
 *   that of `--port`, else 8787;
 * - `<!-- not run: REASON -->` before a block leaves it out.
 */

import { parse, stringify } from "@std/yaml";
import { fileURLToPath } from "node:url";
import { sayHello } from "../support/scripted_vendor.ts";
import { serveVendor } from "../support/server.ts";
import { readStartTask } from "../support/start_task.ts";
import { freePort } from "../support/free_port.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/** The ports that guides name: of gateways, of a proxy, and of Valkey. Each becomes a free one. */
const PORTS = ["8787", "8788", "6379"];

const PATTERN = new RegExp(`\\b(?:${PORTS.join("|")})\\b`, "g");

/** A block of a guide that does something. */
export type Step =
  | { readonly type: "file"; readonly name: string; readonly text: string }
  | {
    readonly type: "commands";
    readonly text: string;
    readonly inBackground: boolean;
    /** What comes out, as the guide says; undefined if it does not say. */
    readonly output?: string;
  };

/** A block that is not run, and why. */
export interface LeftOut {
  readonly text: string;
  readonly reason: string;
}

/** The steps of a guide, and what is left out. */
export function readGuide(markdown: string): {
  readonly steps: readonly Step[];
  readonly leftOut: readonly LeftOut[];
} {
  const steps: Step[] = [];
  const leftOut: LeftOut[] = [];
  const block = /(?:<!-- ([^>]*?) -->\s*)?^```(\w+) ?([^\n]*)\n([^]*?)^```$/gm;
  for (const [, mark = "", language = "", name = "", text = ""] of markdown.matchAll(block)) {
    const [, reason] = /^not run: (.+)$/s.exec(mark) ?? [];
    const last = steps.at(-1);
    if (reason !== undefined) leftOut.push({ text, reason: reason.replaceAll(/\s+/g, " ") });
    else if (name !== "") steps.push({ type: "file", name, text });
    else if (language === "sh") {
      steps.push({ type: "commands", text, inBackground: mark === "second terminal" });
    } else if (language === "text" && last?.type === "commands") {
      steps[steps.length - 1] = { ...last, output: text };
    }
  }
  return { steps, leftOut };
}

/** Whether an output is what a guide says. */
export function fits(output: string, expected: string): boolean {
  const pattern = expected.trimEnd().split("\n").map((line) =>
    line.trim() === "…"
      ? "[^]*"
      : line.split("…").map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&")).join(
        "[^\\n]*",
      )
  ).join("\n").replaceAll("\n[^]*", "(?:\\n[^]*)?").replaceAll("[^]*\n", "(?:[^]*\\n)?");
  return new RegExp(`^${pattern}$`).test(output.trimEnd());
}

/** A difference between a guide and what comes out. */
export interface Mismatch {
  readonly commands: string;
  readonly expected: string;
  readonly output: string;
}

export interface RunOptions {
  /** How vendors answer. Default: a chat that says hello. */
  readonly vendor?: (request: Request) => Response | Promise<Response>;
  readonly env?: Readonly<Record<string, string>>;
}

/** Answers chats as the vendor of the path would. */
async function answerChats(request: Request): Promise<Response> {
  const body = request.method === "POST" ? await request.json().catch(() => ({})) : {};
  return sayHello({ url: request.url, body });
}

/**
 * Runs the steps of a guide, and returns what comes out otherwise than the guide says.
 *
 * @throws {Error} when a command fails.
 */
export async function runGuide(markdown: string, options: RunOptions = {}): Promise<Mismatch[]> {
  const { steps } = readGuide(markdown);
  const folder = await Deno.makeTempDir({ prefix: "sluice-guide-" });
  const ports = new Map(PORTS.map((name) => [name, freePort()]));
  await using vendor = serveVendor(options.vendor ?? answerChats);
  const adapt = (text: string) => text.replaceAll(PATTERN, (name) => String(ports.get(name)));
  const named = new Map([...ports].map(([name, port]) => [String(port), name]));
  try {
    const path = await writeProgram(`${folder}/.bin`, markdown.includes("shared_store:"));
    await Deno.mkdir(`${folder}/work`);
    const script = [
      // Each job is a group of processes: what it starts ends with it.
      "set -em",
      `trap 'for job in $(jobs -p); do kill -- -$job 2>/dev/null || true; done; wait' EXIT`,
      ...steps.map((step, index) =>
        step.type === "file"
          ? `cat > ${step.name} <<'END OF FILE'\n${adapt(withVendor(step, vendor.url))}END OF FILE`
          : toScript(step, index, adapt)
      ),
    ].join("\n");
    const { code, stdout, stderr } = await new Deno.Command("bash", {
      args: ["-c", script],
      cwd: `${folder}/work`,
      clearEnv: true,
      env: {
        PATH: `${path}:${Deno.env.get("PATH") ?? ""}`,
        HOME: folder,
        SLUICE_PORT: adapt("8787"),
        DENO_NO_UPDATE_CHECK: "1",
        // It takes half a second of processor time of each process.
        SLUICE_WARM_UP: "off",
        NO_COLOR: "1",
        DENO_DIR: denoFolder(),
        // Otherwise, Go would compile its library for each run.
        GOCACHE: Deno.env.get("GOCACHE") ?? `${Deno.env.get("HOME") ?? ""}/.cache/go-build`,
        ...options.env,
      },
    }).output();
    const printed = new TextDecoder().decode(stdout).replaceAll("\r", "")
      .replaceAll(/\b\d{4,5}\b/g, (number) => named.get(number) ?? number);
    if (code !== 0) {
      throw new Error(`Exit code ${code}\n${printed}\n${new TextDecoder().decode(stderr)}`);
    }
    return compare(steps, printed);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** How often a port is tried, every 0.1 seconds, until a command in the background listens on it. */
const MAX_TRIES = 1200;

function toScript(
  step: Extract<Step, { type: "commands" }>,
  index: number,
  adapt: (text: string) => string,
): string {
  const commands = adapt(step.text).trimEnd();
  if (!step.inBackground) return `echo '@@ ${index}'\n{ ${commands}\n} 2>&1`;
  const port = /--port (\d+)/.exec(commands)?.[1] ?? adapt("8787");
  return [
    `{ ${commands}\n} > background_${index}.log 2>&1 &`,
    "tries=0",
    `until (: < /dev/tcp/127.0.0.1/${port}) 2> /dev/null; do`,
    `  if ! kill -0 $! 2> /dev/null || [ $((tries += 1)) -gt ${MAX_TRIES} ]; then`,
    `    echo 'Nothing listens on port ${port}'; cat background_${index}.log; exit 1`,
    "  fi",
    "  sleep 0.1",
    "done",
  ].join("\n");
}

/** What each step printed, compared with the guide. */
function compare(steps: readonly Step[], printed: string): Mismatch[] {
  const outputs = new Map(
    printed.split(/^@@ /m).slice(1).map((part) => {
      const [index = "", ...lines] = part.split("\n");
      return [Number(index), lines.join("\n")];
    }),
  );
  return steps.flatMap((step, index) => {
    if (step.type !== "commands" || step.output === undefined) return [];
    const output = outputs.get(index) ?? "";
    return fits(output, step.output)
      ? []
      : [{ commands: step.text, expected: step.output, output }];
  });
}

/** Vendors' addresses that a configuration does not name become that of the scripted vendor. */
function withVendor({ name, text }: Extract<Step, { type: "file" }>, url: string): string {
  if (!/\.ya?ml$/.test(name)) return text;
  const document = parse(text) as { providers?: Record<string, Record<string, unknown>> };
  const { providers } = document;
  if (typeof providers !== "object") return text;
  for (const provider of Object.values(providers)) {
    if (provider.kind !== "mock" && provider.base_url === undefined) {
      provider.base_url = `${url}/v1`;
    }
  }
  return stringify(document);
}

/** Writes `sluice` into a folder, as an executable would be there. It may wait longer for stores. */
async function writeProgram(folder: string, isPatient: boolean): Promise<string> {
  const { options, main } = readStartTask(ROOT);
  await Deno.mkdir(folder);
  const text = `#!/bin/sh\nexec ${Deno.execPath()} run --no-check --config ${ROOT}deno.json ${
    options.join(" ")
  } ${isPatient ? `--preload ${ROOT}tests/support/slow_time.ts` : ""} ${ROOT}${main} "$@"\n`;
  await Deno.writeTextFile(`${folder}/sluice`, text, { mode: 0o755 });
  return folder;
}

/** The folder of packages that the runtime has already downloaded. */
function denoFolder(): string {
  return Deno.env.get("DENO_DIR") ?? `${Deno.env.get("HOME") ?? ""}/.cache/deno`;
}

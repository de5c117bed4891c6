/** `sluice connect` on files of a temporary folder. */

import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import type { ConnectCommand } from "../../../src/tools/connect/arguments.ts";
import { SettingsError } from "../../../src/clients/edits.ts";
import { type ConnectDeps, runConnect } from "../../../src/tools/connect/connect.ts";
import { SettingsFile } from "../../../src/process/system/settings_file.ts";
import { placesOn, TARGET } from "./support.ts";
import { StartError } from "../../../src/process/system/stdio.ts";
import { UsageError } from "../../../src/tools/admin_client.ts";

const isWindows = Deno.build.os === "windows";

/** A home folder, which is removed at the end of the scope. */
function makeHome() {
  const home = Deno.makeTempDirSync({ prefix: "sluice-" });
  const read = (path: string) => Deno.readTextFileSync(`${home}/${path}`);
  return {
    home,
    read,
    write(path: string, text: string) {
      Deno.mkdirSync(`${home}/${path}`.replace(/\/[^/]*$/, ""), { recursive: true });
      Deno.writeTextFileSync(`${home}/${path}`, text);
    },
    files(path: string): string[] {
      return [...Deno.readDirSync(`${home}/${path}`)].map(({ name }) => name).sort();
    },
    run(client: string, given: Partial<ConnectCommand> = {}, deps: Partial<ConnectDeps> = {}) {
      const command = { action: "change", client, writes: true, options: new Map(), ...given };
      return runConnect(command as ConnectCommand, TARGET, {
        places: placesOn("linux", { HOME: home }),
        open: (path) => new SettingsFile(path),
        ask: undefined,
        ...deps,
      });
    },
    [Symbol.dispose]: () => Deno.removeSync(home, { recursive: true }),
  };
}

const CODEX = ".codex/config.toml";
const BACKUP = `${CODEX}.sluice-backup`;
const BEFORE = '# mine\nmodel = "gpt-5.5"\n';

Deno.test("connect --write changes the file, keeps a backup, prints the diff and what remains to do", async () => {
  using home = makeHome();
  home.write(CODEX, BEFORE);
  const { text, note } = await home.run("codex");
  assertStringIncludes(home.read(CODEX), '# mine\nmodel = "smart"\n');
  assertEquals(home.read(BACKUP), BEFORE);
  assertStringIncludes(text, '-model = "gpt-5.5"\n+model = "smart"\n');
  assertStringIncludes(text, "SLUICE_API_KEY");
  assertEquals(note, undefined);
  assertEquals(home.files(".codex"), ["config.toml", "config.toml.sluice-backup"]);
});

Deno.test("connect keeps the first backup, and --undo restores the text and removes the backup", async () => {
  using home = makeHome();
  home.write(CODEX, BEFORE);
  await home.run("codex");
  home.write(CODEX, home.read(CODEX).replace('"smart"', '"other"'));
  await home.run("codex");
  assertEquals(home.read(BACKUP), BEFORE);
  const { text } = await home.run("codex", { action: "undo" });
  assertStringIncludes(text, '-model = "smart"\n');
  assertEquals(home.read(CODEX), BEFORE);
  assertEquals(home.files(".codex"), ["config.toml"]);
});

Deno.test("--undo removes files that connect created, and keeps those with other settings", async () => {
  using home = makeHome();
  await home.run("gemini-cli");
  assertStringIncludes(home.read(".gemini/.env"), "GOOGLE_GEMINI_BASE_URL=http://127.0.0.1:8787\n");
  home.write(".gemini/.env", home.read(".gemini/.env") + "MINE=1\n");
  await home.run("gemini-cli", { action: "undo" });
  assertEquals(home.files(".gemini"), [".env"]);
  assertEquals(home.read(".gemini/.env"), "MINE=1\n");
});

Deno.test("--undo without a backup changes nothing", async () => {
  using home = makeHome();
  home.write(CODEX, BEFORE);
  await assertRejects(
    () => home.run("codex", { action: "undo" }),
    SettingsError,
    "has not changed it",
  );
  assertEquals(home.read(CODEX), BEFORE);
});

Deno.test("connect shows the diff and asks, and writes only after yes", async () => {
  using home = makeHome();
  home.write(CODEX, BEFORE);
  const asked: string[] = [];
  for (const answer of [false, true]) {
    const ask = (diff: string, question: string) => {
      asked.push(diff + question);
      return Promise.resolve(answer);
    };
    await home.run("codex", { writes: false }, { ask });
    assertEquals(home.read(CODEX) === BEFORE, !answer);
  }
  assertEquals(asked.length, 2);
  assertStringIncludes(asked[0] ?? "", '+model_provider = "sluice"\n');
  assertStringIncludes(asked[0] ?? "", "Write these changes?");
});

Deno.test("connect without a terminal and without --write prints the diff and writes nothing", async () => {
  using home = makeHome();
  home.write(CODEX, BEFORE);
  const { text, note } = await home.run("codex", { writes: false });
  assertStringIncludes(text, '+model = "smart"\n');
  assertStringIncludes(note ?? "", "--write");
  assertEquals(home.files(".codex"), ["config.toml"]);
});

Deno.test("a second connect says that the settings are set", async () => {
  using home = makeHome();
  await home.run("aider");
  const { note } = await home.run("aider");
  assertEquals(note, "The settings are set already");
});

Deno.test("connect follows links, and keeps the link and the mode of the file", async () => {
  if (isWindows) return;
  using home = makeHome();
  home.write("dotfiles/codex.toml", BEFORE);
  Deno.chmodSync(`${home.home}/dotfiles/codex.toml`, 0o640);
  Deno.mkdirSync(`${home.home}/.codex`);
  Deno.symlinkSync("../dotfiles/codex.toml", `${home.home}/${CODEX}`);
  await home.run("codex");
  assert(Deno.lstatSync(`${home.home}/${CODEX}`).isSymlink);
  assertStringIncludes(home.read("dotfiles/codex.toml"), 'model = "smart"');
  assertEquals((Deno.statSync(`${home.home}/${CODEX}`).mode ?? 0) & 0o777, 0o640);
  const backup = `${home.home}/dotfiles/codex.toml.sluice-backup`;
  assertEquals((Deno.statSync(backup).mode ?? 0) & 0o777, 0o600);
});

Deno.test("new files and their folders are private", async () => {
  if (isWindows) return;
  using home = makeHome();
  await home.run("codex");
  const modeOf = (path: string) => (Deno.statSync(`${home.home}/${path}`).mode ?? 0) & 0o777;
  assertEquals([modeOf(CODEX), modeOf(".codex")], [0o600, 0o700]);
});

/** Files that are not changed: their content, and the error. */
const UNREADABLE: readonly (readonly [string, string | Uint8Array<ArrayBuffer>, string])[] = [
  ["invalid TOML", "model = \n", "config.toml: it is not valid TOML"],
  ["another encoding", new Uint8Array([0x6d, 0xff, 0xfe]), "config.toml: not UTF-8 text"],
];

for (const [what, content, error] of UNREADABLE) {
  Deno.test(`connect leaves a file with ${what} as it is`, async () => {
    using home = makeHome();
    const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
    Deno.mkdirSync(`${home.home}/.codex`);
    Deno.writeFileSync(`${home.home}/${CODEX}`, bytes);
    const thrown = await assertRejects(() => home.run("codex"), Error);
    assert(thrown instanceof SettingsError || thrown instanceof StartError);
    assertStringIncludes(thrown.message, error);
    assertEquals(Deno.readFileSync(`${home.home}/${CODEX}`), bytes);
    assertEquals(home.files(".codex"), ["config.toml"]);
  });
}

Deno.test("connect changes none of a client's files if one of them is invalid", async () => {
  using home = makeHome();
  home.write(".gemini/settings.json", "{");
  await assertRejects(() => home.run("gemini-cli"), SettingsError, "settings.json");
  assertEquals(home.files(".gemini"), ["settings.json"]);
});

Deno.test("connect does not overwrite a change that was made during the question", async () => {
  using home = makeHome();
  home.write(CODEX, BEFORE);
  const ask = () => {
    home.write(CODEX, "# changed\n");
    return Promise.resolve(true);
  };
  await assertRejects(
    () => home.run("codex", { writes: false }, { ask }),
    StartError,
    "it has changed meanwhile",
  );
  assertEquals(home.read(CODEX), "# changed\n");
});

Deno.test("a link to a missing file is an error", async () => {
  if (isWindows) return;
  using home = makeHome();
  Deno.mkdirSync(`${home.home}/.codex`);
  Deno.symlinkSync("missing.toml", `${home.home}/${CODEX}`);
  await assertRejects(() => home.run("codex"), StartError, "a link to a file that does not exist");
});

Deno.test("connect creates no file that would disable another one", async () => {
  using home = makeHome();
  home.write(".continue/config.json", "{}");
  const places = placesOn("linux", { HOME: home.home }, [`${home.home}/.continue/config.json`]);
  await assertRejects(() => home.run("continue", {}, { places }), SettingsError, "ignore");
  await assertRejects(() => home.run("librechat"), SettingsError, "--file");
  assertEquals(home.files(".continue"), ["config.json"]);
});

Deno.test("--file names the file of a client", async () => {
  using home = makeHome();
  home.write("chat/librechat.yaml", "version: 1.2.8\n");
  const options = new Map([["file", `${home.home}/chat/librechat.yaml`]]);
  await home.run("librechat", { options });
  assertStringIncludes(home.read("chat/librechat.yaml"), "version: 1.2.8\nendpoints:\n");
  await assertRejects(() => home.run("gemini-cli", { options }), UsageError, "--file");
});

Deno.test("--print writes nothing, and prints settings and what to do", async () => {
  using home = makeHome();
  for (
    const [client, parts] of [
      ["codex", ['base_url = "http://127.0.0.1:8787/v1"', "config.toml:"]],
      ["cursor", ["Override OpenAI Base URL  http://127.0.0.1:8787/v1", "smart"]],
      ["n8n", ["Base URL  http://127.0.0.1:8787/v1"]],
      ["open-webui", [
        "OPENAI_API_BASE_URL  http://127.0.0.1:8787/v1",
        "host.docker.internal:8787",
      ]],
      ["cline", ["Base URL        http://127.0.0.1:8787/v1"]],
    ] as const
  ) {
    const { text } = await home.run(client, { action: "print", writes: false });
    for (const part of parts) assertStringIncludes(text, part);
    // Clients without a file print the same without the option.
    if (client !== "codex") assertEquals((await home.run(client)).text, text);
  }
  assertEquals([...Deno.readDirSync(home.home)], []);
});

Deno.test("--list names all clients with their files", async () => {
  using home = makeHome();
  const { text } = await home.run("", { action: "list", client: undefined, writes: false });
  assertStringIncludes(text, `${home.home}/${CODEX}\n`);
  for (const id of ["claude-code", "zed", "vscode", "n8n", "open-webui", "cursor", "cline"]) {
    assertStringIncludes(text, `\n${id} `);
  }
});

Deno.test("an unknown client is a usage error with a suggestion", async () => {
  using home = makeHome();
  await assertRejects(() => home.run("codx"), UsageError, "did you mean 'codex'?");
});

Deno.test("a diff hides keys in lines that are not new", async () => {
  using home = makeHome();
  home.write(".aider.conf.yml", "openai-api-key: sk-1234567890\nmodel: gpt-4o\n");
  const { text } = await home.run("aider");
  assertStringIncludes(text, " openai-api-key: …\n-model: gpt-4o\n");
});

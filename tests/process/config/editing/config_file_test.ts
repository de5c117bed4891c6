/** The file of the configuration is replaced in one step, and only by those who have seen it. */

import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { ChangedFile, ConfigFile } from "../../../../src/process/config/editing/config_file.ts";

const KEY = new Uint8Array(32);
const isUnix = Deno.build.os !== "windows";

function inFolder(run: (path: string, folder: string) => Promise<void>): () => Promise<void> {
  return async () => {
    const folder = Deno.makeTempDirSync({ prefix: "sluice-" });
    const path = `${folder}/config.yaml`;
    Deno.writeTextFileSync(path, "keep: 1d\n");
    try {
      await run(path, folder);
    } finally {
      Deno.removeSync(folder, { recursive: true });
    }
  };
}

const save = (file: ConfigFile, text: string, now = 0, hash = file.hashOf(file.read())) =>
  file.replace({ hash, toText: () => Promise.resolve(text), by: "ops", now });

Deno.test(
  "replace() keeps the mode of the file, and the text before as a version",
  inFolder(async (path, folder) => {
    if (isUnix) Deno.chmodSync(path, 0o640);
    const file = new ConfigFile(path, KEY);
    await save(file, "keep: 2d\n", Date.UTC(2026, 0, 2, 3, 4, 5, 678));
    assertEquals(Deno.readTextFileSync(path), "keep: 2d\n");
    const [version] = file.versions();
    assertEquals(version, {
      id: "2026-01-02T03-04-05.678Z.ops",
      replaced: Date.UTC(2026, 0, 2, 3, 4, 5, 678),
      by: "ops",
    });
    assertEquals(file.readVersion(version?.id ?? ""), "keep: 1d\n");
    // Nothing else is left beside it.
    assertEquals([...Deno.readDirSync(folder)].map(({ name }) => name).sort(), [
      ".config.yaml.versions",
      "config.yaml",
    ]);
    if (!isUnix) return;
    const modeOf = (name: string) => (Deno.statSync(`${folder}/${name}`).mode ?? 0) & 0o777;
    assertEquals(modeOf("config.yaml"), 0o640);
    assertEquals(modeOf(".config.yaml.versions"), 0o700);
    assertEquals(modeOf(`.config.yaml.versions/${version?.id}.yaml`), 0o600);
  }),
);

Deno.test(
  "replace() refuses a file that has changed, also while the text is made",
  inFolder(async (path) => {
    const file = new ConfigFile(path, KEY);
    const hash = file.hashOf(file.read());
    Deno.writeTextFileSync(path, "keep: 3d\n");
    await assertRejects(() => save(file, "keep: 2d\n", 0, hash), ChangedFile);
    await assertRejects(() =>
      file.replace({
        hash: file.hashOf("keep: 3d\n"),
        by: "ops",
        now: 0,
        toText() {
          Deno.writeTextFileSync(path, "keep: 4d\n");
          return Promise.resolve("keep: 2d\n");
        },
      }), ChangedFile);
    assertEquals([Deno.readTextFileSync(path), file.versions()], ["keep: 4d\n", []]);
  }),
);

Deno.test(
  "of two processes that replace the same text, one is refused",
  inFolder(async (path) => {
    const [one, other] = [new ConfigFile(path, KEY), new ConfigFile(path, KEY)];
    const hash = one.hashOf(one.read());
    const results = await Promise.allSettled([
      save(one, "keep: 2d\n", 1, hash),
      save(other, "keep: 3d\n", 2, hash),
    ]);
    assertEquals(results.map(({ status }) => status).sort(), ["fulfilled", "rejected"]);
    assertEquals(one.versions().length, 1);
  }),
);

Deno.test(
  "the latest versions are kept, and the names of admin keys are no paths",
  inFolder(async (path, folder) => {
    const file = new ConfigFile(path, KEY);
    for (let index = 1; index <= 25; index++) {
      const hash = file.hashOf(file.read());
      const text = `keep: ${index + 1}d\n`;
      const toText = () => Promise.resolve(text);
      const reason = index === 25 ? "a/b\n<ü>" : "x".repeat(index % 2);
      await file.replace({ hash, toText, by: "../../a*b/ü", reason, now: index * 1000 });
    }
    const versions = file.versions();
    assertEquals([versions.length, versions[0]?.replaced, versions.at(-1)?.replaced], [
      20,
      25_000,
      6000,
    ]);
    assertEquals(versions[0]?.by, "../../a*b/ü");
    assertEquals(versions.slice(0, 3).map(({ reason }) => reason), ["a/b\n<ü>", undefined, "x"]);
    const reasons = [...Deno.readDirSync(`${folder}/.config.yaml.versions`)]
      .filter(({ name }) => name.endsWith(".txt"));
    assertEquals(reasons.length, 10);
    for (const id of ["../../config", "..", "", "/etc/passwd", "../config.yaml"]) {
      assertEquals(file.readVersion(id), undefined);
    }
  }),
);

Deno.test(
  "a link stays a link, and its file is replaced",
  inFolder(async (path, folder) => {
    if (!isUnix) return;
    Deno.mkdirSync(`${folder}/data`);
    Deno.renameSync(path, `${folder}/data/real.yaml`);
    Deno.symlinkSync(`${folder}/data/real.yaml`, path);
    await save(new ConfigFile(path, KEY), "keep: 2d\n");
    assert(Deno.lstatSync(path).isSymlink);
    assertEquals(Deno.readTextFileSync(`${folder}/data/real.yaml`), "keep: 2d\n");
  }),
);

Deno.test("a hash reveals nothing without the key of the process", () => {
  const path = Deno.makeTempFileSync();
  try {
    const [one, other] = [KEY, new Uint8Array(32).fill(1)].map((key) => new ConfigFile(path, key));
    assert(one?.hashOf("a") !== other?.hashOf("a"));
    assertEquals(one?.hashOf("a"), one?.hashOf("a"));
  } finally {
    Deno.removeSync(path);
  }
});

Deno.test("a file that does not exist cannot be opened", () => {
  assertThrows(() => new ConfigFile("/nonexistent/config.yaml", KEY));
});

/**
 * `deno task release:rehearse`: everything of the release workflow that can run here, in a clean
 * clone of the last commit, as a plain user: root becomes `nobody`. Prints a line for each step,
 * then what only GitHub and other machines can prove. Exit code 1 if a step failed. `--only NAME`
 * runs one step.
 */

import { fileURLToPath } from "node:url";
import { crawl } from "./crawl.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/** What a release needs and this machine cannot show. */
const NOT_HERE = [
  "the image is built for amd64 and arm64, and pushed (needs Docker and the registry)",
  "the executables of macOS, Windows and arm64 start (they are only built, on GitHub)",
  "attestations of the build, and the release with its files (need GitHub's identity and token)",
  "the chart is installed in a cluster, and the manifests are applied",
  "the site is published, and its menu leads to earlier versions",
];

/** Variables about the network of this machine and its package registries. */
const OF_THE_MACHINE =
  /^(?:DENORT_BIN|DENO_TLS_CA_STORE|(?:https?|no|all)_proxy|SSL_CERT_\w+|.*_CERTS?|npm_config_\w+)$/i;

/** A step that cannot run on this machine. */
class Missing extends Error {
  override readonly name = "Missing";
}

/** Where the rehearsal runs. */
interface Stage {
  /** The clean clone. */
  readonly clone: string;
  /** A folder that the user may write. */
  readonly work: string;
  run(command: string, ...args: readonly string[]): Promise<string>;
  /** Runs a script of bash in the clone. */
  shell(script: string): Promise<string>;
}

/** The steps by name. Each returns what it has shown. */
const STEPS: Readonly<Record<string, (stage: Stage) => Promise<string>>> = {
  version: async ({ clone }) => {
    const { version } = JSON.parse(await Deno.readTextFile(`${clone}/deno.json`));
    const found: Record<string, string | undefined> = {
      chart: await find(`${clone}/deploy/helm/sluice/Chart.yaml`, /^version: (.+)$/m),
      application: await find(`${clone}/deploy/helm/sluice/Chart.yaml`, /^appVersion: "(.+)"$/m),
      image: await find(`${clone}/deploy/kubernetes/kustomization.yaml`, /newTag: "(.+)"/),
      changes: await find(`${clone}/CHANGELOG.md`, /^## (\S+)/m),
    };
    for (const [where, other] of Object.entries(found)) {
      if (other !== version) throw new Error(`${where} has ${other}, deno.json ${version}`);
    }
    const changes = (await Deno.readTextFile(`${clone}/CHANGELOG.md`)).split(/^## /m)[1] ?? "";
    return `${version} everywhere; its changes have ${changes.trim().split("\n").length} lines`;
  },

  bundle: async ({ run, shell, work }) => {
    for (const name of ["one", "two"]) await run("deno", "task", "npm", `${work}/${name}`);
    const digest = (name: string) =>
      shell(`cd ${work}/${name} && find . -type f | sort | xargs sha256sum`);
    const [one, two] = [await digest("one"), await digest("two")];
    if (one !== two) throw new Error(`Two builds differ:\n${one}\n${two}`);
    return `two builds of ${one.trim().split("\n").length} files are equal byte for byte`;
  },

  npm: async ({ shell, work }) => {
    const printed = await shell(`PATH=${work}/bin:$PATH bash .ci/npm ${work}/sluice-gateway.tgz`);
    const listed = await shell(`tar -tzf ${work}/sluice-gateway.tgz | sort`);
    const names = listed.trim().split("\n").map((name) => name.replace("package/", ""));
    const odd = names.filter((name) => /\.ts$|_test\.|^tests?\/|fixture|\.env/.test(name));
    if (odd.length > 0) throw new Error(`The package has ${odd.join(", ")}`);
    return `${printed.trim().split("\n").at(-1)}; it has ${names.join(", ")}`;
  },

  sbom: async ({ run }) => {
    const [one, two] = [
      await run("deno", "task", "--quiet", "sbom"),
      await run("deno", "task", "--quiet", "sbom"),
    ];
    if (one !== two) throw new Error("Two bills of materials differ");
    const { bomFormat, components } = JSON.parse(one);
    return `${bomFormat} with ${components.length} components, twice the same`;
  },

  checksums: async ({ shell, work }) => {
    await shell(
      `cd ${work} && cp one/package.json sluice.json && sha256sum -- sluice* > SHA256SUMS`,
    );
    return (await shell(`cd ${work} && sha256sum --check SHA256SUMS | grep -c OK`)).trim() +
      " files have their checksums";
  },

  executable: async ({ run, work }) => {
    await run("deno", "task", "compile", `${work}/executable`).catch((thrown) => {
      if (!/denort|download|fetch|connect/i.test(String(thrown))) throw thrown;
      throw new Missing("Deno's runtime cannot be downloaded here; set DENORT_BIN");
    });
    return `it starts: ${(await run(`${work}/executable/sluice`, "--version")).trim()}`;
  },

  image: async ({ clone, shell, work }) => {
    const dockerfile = await Deno.readTextFile(`${clone}/Dockerfile`);
    const sent = (await Deno.readTextFile(`${clone}/.dockerignore`)).split("\n")
      .filter((line) => line.startsWith("!")).map((line) => line.slice(1));
    const copied = [...dockerfile.matchAll(/^COPY (?!--from)(.+) \S+$/gm)]
      .flatMap(([, sources = ""]) => sources.split(" "));
    for (const source of copied) {
      await Deno.stat(`${clone}/${source}`);
      if (!sent.includes(source)) throw new Error(`.dockerignore leaves out ${source}`);
    }
    const isolated = await shell(readOnly(`${work}/one`, work)).catch((thrown) => {
      if (!/unshare|mount|permitted/i.test(String(thrown))) throw thrown;
      throw new Missing("a read-only root needs the right to create a namespace");
    });
    if (!isolated.includes("You said: Hello")) throw new Error(isolated);
    return `${copied.join(", ")} are copied; it answers without a place to write`;
  },

  manifests: async ({ shell }) => {
    const test = "deno test -A --no-check --quiet --config tests/deno.json";
    await shell(`${test} tests/build/kubernetes_test.ts tests/build/kubernetes_program_test.ts`);
    const hasKubectl = await shell("command -v kubectl").then(() => true, () => false);
    if (!hasKubectl) return "the chart and the manifests fit their schemas; kubectl is not here";
    const rendered = await Promise.all(["kubernetes", "kubernetes_sqlite"].map(async (name) => {
      const text = await shell(`kubectl kustomize deploy/${name}`);
      return `${text.split(/^kind: /m).length - 1} of ${name}`;
    }));
    return `the chart and the manifests fit their schemas; rendered ${rendered.join(", ")}`;
  },

  site: async ({ clone, shell }) => {
    await shell(
      "deno task site && cd dist/site && npm install --no-audit --no-fund && npm run build",
    );
    const { pages, links, dead } = crawl(`${clone}/dist/site/.vitepress/dist`);
    if (dead.length > 0) throw new Error(`Dead links: ${dead.slice(0, 20).join(", ")}`);
    const printed = await shell(
      "deno test -A --no-check --quiet --config tests/deno.json tests/build/built_site_program_test.ts",
    );
    const search = /needs Chromium/.test(printed)
      ? "there is no Chromium to search it"
      : "its search finds five words offline, in a browser at three widths";
    return `${pages} pages, ${links} links between them, none of them dead; ${search}`;
  },
};

/** Reads the first group of a pattern in a file. */
async function find(path: string, pattern: RegExp): Promise<string | undefined> {
  return pattern.exec(await Deno.readTextFile(path))?.[1];
}

/** A script that starts the package in `folder` where nothing can be written, and asks it. */
function readOnly(folder: string, work: string): string {
  // The options begin with `run`.
  const start = `deno $(node -p 'require("${folder}/options.json").join(" ")') ` +
    `${folder}/bundle/main.js --port 18789`;
  const ask = "curl -fsS http://127.0.0.1:18789/v1/chat/completions " +
    `-H 'authorization: Bearer sk-ci' -d '{"model": "fast", "messages": [{"role": "user", "content": "Hello"}]}'`;
  const inside = [
    "mount --make-rprivate /",
    "mount -o remount,bind,ro /",
    `export SLUICE_API_KEY=sk-ci`,
    `! touch ${work}/written 2>/dev/null`,
    `mount -t tmpfs tmpfs /dev/shm`,
    `${start} > /dev/shm/log 2>&1 & pid=$!`,
    `for i in $(seq 150); do ${ask} 2> /dev/null && break; kill -0 $pid || break; sleep 0.2; done`,
    "kill $pid || cat /dev/shm/log",
  ].join("\n");
  return `cat > ${work}/inside.sh <<'END'\n${inside}\nEND\nunshare -r -m bash ${work}/inside.sh`;
}

/** Clones the last commit, and prepares the user's folders. */
async function prepare(): Promise<Stage> {
  const work = await Deno.makeTempDir({ prefix: "sluice-release-" });
  const clone = `${work}/clone`;
  const isRoot = Deno.uid() === 0;
  await Deno.mkdir(`${work}/bin`);
  await Deno.copyFile(Deno.execPath(), `${work}/bin/deno`);
  await Deno.chmod(`${work}/bin/deno`, 0o755);
  const env = {
    PATH: `${work}/bin:/usr/local/bin:/usr/bin:/bin`,
    HOME: `${work}/home`,
    DENO_NO_UPDATE_CHECK: "1",
    NO_COLOR: "1",
    ...Object.fromEntries(
      Object.entries(Deno.env.toObject()).filter(([name]) => OF_THE_MACHINE.test(name)),
    ),
  };
  const execute = async (cwd: string, user: readonly string[], argv: readonly string[]) => {
    const [command = "", ...args] = [...user, ...argv];
    const { success, stdout, stderr } = await new Deno.Command(command, {
      ...{ args, cwd, env, clearEnv: true },
    }).output();
    const printed = new TextDecoder().decode(stdout);
    if (!success) throw new Error(`${printed}\n${new TextDecoder().decode(stderr)}`.trim());
    return printed;
  };
  await execute(ROOT, [], ["git", "clone", "--quiet", "--no-hardlinks", ROOT, clone]);
  await Deno.mkdir(env.HOME);
  const user = isRoot ? ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] : [];
  if (isRoot) await execute(ROOT, [], ["chown", "-R", "65534:65534", work]);
  return {
    clone,
    work,
    run: (command, ...args) => execute(clone, user, [command, ...args]),
    shell: (script) => execute(clone, user, ["bash", "-euo", "pipefail", "-c", script]),
  };
}

if (import.meta.main) {
  const only = Deno.args[Deno.args.indexOf("--only") + 1];
  const stage = await prepare();
  const lines: string[] = [];
  let hasFailed = false;
  const say = (line: string) => {
    lines.push(line);
    Deno.stdout.writeSync(new TextEncoder().encode(`${line}\n`));
  };
  for (const [name, step] of Object.entries(STEPS)) {
    const isNeeded = name === "bundle" && only !== "version";
    if (Deno.args.includes("--only") && name !== only && !isNeeded) continue;
    try {
      say(`ok       ${name}: ${await step(stage)}`);
    } catch (thrown) {
      const isMissing = thrown instanceof Missing;
      hasFailed ||= !isMissing;
      const message = thrown instanceof Error ? thrown.message : String(thrown);
      say(`${isMissing ? "not here" : "FAILED  "} ${name}: ${message.slice(-3000)}`);
    }
  }
  for (const what of NOT_HERE) say(`not here ${what}`);
  await Deno.remove(stage.work, { recursive: true });
  Deno.exit(hasFailed ? 1 : 0);
}

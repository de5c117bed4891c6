/** The files that ship the product name what is there: versions, commands, paths. */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { parse } from "@std/yaml";
import { readCommand } from "../../src/tools/arguments.ts";
import { readRoot } from "../support/read_root.ts";

const DOCKERFILE = readRoot("Dockerfile");
const MANIFEST = JSON.parse(readRoot("deno.json"));

type Json = Record<string, unknown>;

interface Step {
  readonly uses?: string;
  readonly run?: string;
}

/** The steps of every job of a workflow. */
function stepsOf(name: string): Step[] {
  const { jobs } = parse(readRoot(`.github/workflows/${name}`)) as {
    jobs: Record<string, { steps: Step[] }>;
  };
  return Object.values(jobs).flatMap(({ steps }) => steps);
}

Deno.test("build, tests and releases use the same version of Deno", () => {
  const files = ["Dockerfile", ".ci/run", "README.md", ".github/workflows/release.yml"];
  for (const file of files) {
    const named = [...readRoot(file).matchAll(/\bdeno[@:]v?(\d+\.\d+\.\d+)/g)].map(([, at]) => at);
    assert(named.length > 0, file);
    assertEquals([...new Set(named)], [Deno.version.deno], file);
  }
});

Deno.test("the image contains only the executable, runs as an unprivileged user and has a health check", () => {
  const [, last = ""] = DOCKERFILE.split(/^FROM .*:nonroot$/m);
  assertEquals(last.match(/^(COPY|ADD|RUN) .*$/gm), [
    "COPY --from=build /out/sluice /usr/local/bin/sluice",
    "COPY --from=build --chown=nonroot:nonroot /state /var/lib/sluice",
  ]);
  assertMatch(last, /^ENV SLUICE_HOST=0\.0\.0\.0$/m);
  const [, command = "[]"] = /HEALTHCHECK .*CMD (\[.*\])$/m.exec(last) ?? [];
  const [path, ...args] = JSON.parse(command);
  assertEquals([path, readCommand(args)], ["/usr/local/bin/sluice", { name: "health" }]);
  assertEquals(JSON.parse(/^ENTRYPOINT (.*)$/m.exec(last)?.[1] ?? ""), [path]);
});

Deno.test("the image is built from files of its build context", () => {
  const [, ...kept] = readRoot(".dockerignore").trimEnd().split("\n")
    .filter((line) => !line.startsWith("#"));
  const context = kept.map((line) => line.slice(1)).sort();
  const copied = [...DOCKERFILE.matchAll(/^COPY ([^-].*) \S+$/gm)]
    .flatMap(([, names = ""]) => names.split(" "));
  assertEquals(copied.sort(), context);
  for (const name of context) Deno.statSync(new URL(`../../${name}`, import.meta.url));
});

Deno.test("the workflows run existing tasks", () => {
  assert(stepsOf("ci.yml").some(({ run }) => run === "bash .ci/run"));
  const steps = stepsOf("release.yml");
  assert(steps.some(({ run }) => run === "bash .ci/run"));
  const tasks = steps.flatMap(({ run = "" }) =>
    [...run.matchAll(/deno@\S+ task (?:--quiet )?([\w:]+)/g)].map(([, task = ""]) => task)
  );
  assertEquals(tasks, ["compile:all", "sbom"]);
  for (const task of tasks) assert(task in MANIFEST.tasks, task);
});

const WORKFLOWS = [...Deno.readDirSync(new URL("../../.github/workflows/", import.meta.url))]
  .map(({ name }) => name);

Deno.test("each action is pinned to its commit, and steps fail where a part of a pipe does", () => {
  assert(WORKFLOWS.length > 4);
  for (const name of WORKFLOWS) {
    const text = readRoot(`.github/workflows/${name}`);
    const used = [...text.matchAll(/uses: (.*)$/gm)].map(([, action = ""]) => action);
    for (const action of used) assertMatch(action, /^\S+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/, name);
    const { defaults } = parse(text) as { defaults?: { run?: Json } };
    assertEquals(defaults?.run, { shell: "bash" }, name);
  }
});

Deno.test("the image has the tags of Helm and kustomize, and 'latest' only for the newest", () => {
  const [naming = ""] = stepsOf("release.yml").flatMap(({ run = "" }) =>
    run.includes("tags=") ? [run] : []
  );
  assertStringIncludes(naming, 'tags="$image:$GITHUB_REF_NAME,$image:${GITHUB_REF_NAME#v}"');
  assertMatch(naming, /if \[ "\$newest" = true \]; then tags\+=",\$image:latest"; fi/);
  const { appVersion } = parse(readRoot("deploy/helm/sluice/Chart.yaml")) as Json;
  const { images } = parse(readRoot("deploy/kubernetes/kustomization.yaml")) as {
    images: Json[];
  };
  assertEquals([appVersion, images[0]?.newTag], [MANIFEST.version, MANIFEST.version]);
});

Deno.test("a gate of a plain user installs through sudo", () => {
  const lines = readRoot(".ci/run").split("\n").filter((line) =>
    /\bapt-get (?:update|install)/.test(line)
  );
  assert(lines.length > 3);
  for (const line of lines) assertMatch(line, /as_root apt-get|^ {4}apt-get install/);
  assertMatch(readRoot(".ci/run"), /as_root env .*\\\n {4}apt-get install/);
});

Deno.test("the Compose file mounts the configuration where the gateway reads it", () => {
  const { services: { sluice }, volumes } = parse(readRoot("deploy/compose.yaml")) as {
    services: { sluice: Json };
    volumes: Json;
  };
  assertEquals(sluice?.volumes, [
    "../etc:/etc/sluice:ro",
    "data:/var/lib/sluice",
  ]);
  assertEquals(volumes, { data: null });
  // A fresh checkout has no .env.
  assertEquals(sluice?.env_file, [{ path: "../.env", required: false }]);
});

Deno.test("every way to run the container mounts the folder of the configuration, not the file", () => {
  // A mounted file keeps its old text when an editor replaces it.
  for (const file of ["deploy/README.md", "deploy/compose.yaml", "deploy/fleet/compose.yaml"]) {
    const text = readRoot(file);
    assertMatch(text, /:\/etc\/sluice:ro\b/, file);
    assert(!text.includes(":/etc/sluice/config.yaml"), file);
  }
});

Deno.test("Prometheus reads /metrics with a service key", () => {
  const { scrape_configs: [scrape] } = parse(readRoot("deploy/monitoring/prometheus.yml")) as {
    scrape_configs: Json[];
  };
  assertEquals(scrape?.authorization, { credentials_file: "/run/secrets/sluice_key" });
});

Deno.test("the chart, the manifests and the newest changes have the version of deno.json", () => {
  const { version } = JSON.parse(readRoot("deno.json")) as { version: string };
  const chart = parse(readRoot("deploy/helm/sluice/Chart.yaml")) as Json;
  assertEquals([chart.version, chart.appVersion], [version, version]);
  const { images: [image] } = parse(readRoot("deploy/kubernetes/kustomization.yaml")) as {
    images: Json[];
  };
  assertEquals(image?.newTag, version);
  const [, newest] = /^## (\S+)(?: \(\d{4}-\d\d-\d\d\))?$/m.exec(readRoot("CHANGELOG.md")) ?? [];
  assertEquals(newest, version);
});

Deno.test("the changes of a version are at most 40 lines by capability before Upgrading", () => {
  const [, newest = ""] = readRoot("CHANGELOG.md").split(/^## /m);
  const [changes = "", upgrading] = newest.split("### Upgrading");
  assert(upgrading !== undefined && changes.trim().split("\n").length <= 40);
});

Deno.test("the systemd unit starts the executable, reloads it and has no other rights", () => {
  const unit = readRoot("deploy/sluice.service");
  assertMatch(unit, /^ExecStart=\/usr\/bin\/env --block-signal=USR1 \/usr\/local\/bin\/sluice$/m);
  assertMatch(unit, /^ExecReload=\/bin\/kill -HUP \$MAINPID$/m);
  for (const rule of ["DynamicUser=yes", "NoNewPrivileges=yes", "ProtectSystem=strict"]) {
    assert(unit.includes(`\n${rule}\n`), rule);
  }
  // The only folder that it may write, for an SQLite store.
  assertMatch(
    unit,
    /^StateDirectory=sluice\nStateDirectoryMode=0700\nWorkingDirectory=%S\/sluice$/m,
  );
});

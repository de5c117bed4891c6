/**
 * The chart of deploy/helm, rendered by Helm's own engine (the Python package helm-python-sdk), and
 * the manifests that kubectl makes of deploy/kubernetes_sqlite.
 */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { parse, parseAll } from "@std/yaml";
import { loadConfig } from "../../src/config/config.ts";
import { adapters } from "../../src/providers/registry.ts";
import { faultsOf } from "../support/kubernetes.ts";
import { readRoot } from "../support/read_root.ts";

// deno-lint-ignore no-explicit-any -- manifests, whose schemas are checked below
type Manifest = any;

const CHART = "deploy/helm/sluice";
const PYTHON = Deno.env.get("SLUICE_TEST_PYTHON");

/** What the engine says about one set of values. */
interface Rendering {
  readonly files?: Readonly<Record<string, string>>;
  readonly messages?: readonly string[];
  readonly error?: string;
}

const ROOT = new URL("../../", import.meta.url).pathname;

function hasEngine(): boolean {
  if (PYTHON === undefined) return false;
  const args = ["-c", "import helm_python"];
  const options = { args, stdout: "null", stderr: "null" } as const;
  return new Deno.Command(PYTHON, options).outputSync().success;
}

const IS_READY = hasEngine();

async function render(values: readonly unknown[]): Promise<readonly Rendering[]> {
  const child = new Deno.Command(PYTHON ?? "", {
    args: ["tests/support/helm_render.py", CHART],
    cwd: ROOT,
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const writer = child.stdin.getWriter();
  await writer.write(new TextEncoder().encode(JSON.stringify(values)));
  await writer.close();
  const { stdout, stderr } = await child.output();
  const text = new TextDecoder().decode(stdout);
  assert(text.startsWith("["), new TextDecoder().decode(stderr));
  return JSON.parse(text);
}

/** The manifests of a rendering, by the name of their file. */
function manifestsOf({ files, messages, error }: Rendering): ReadonlyMap<string, Manifest> {
  assertEquals([error, messages], [undefined, []]);
  return new Map(
    Object.entries(files ?? {})
      .filter(([name, text]) => name.endsWith(".yaml") && text.trim() !== "")
      .map(([name, text]) => [name.slice(name.lastIndexOf("/") + 1), parse(text) as Manifest]),
  );
}

function testWithHelm(name: string, run: () => Promise<void>): void {
  Deno.test({
    name: IS_READY ? name : `${name} (skipped: helm-python-sdk is not installed)`,
    ignore: !IS_READY,
    fn: run,
  });
}

const EVERYTHING = {
  autoscaling: { enabled: false },
  ingress: { enabled: true, className: "nginx", tlsSecret: "certificate" },
  metrics: { serviceMonitor: true },
  networkPolicy: { enabled: true },
  secret: { existing: "own" },
  serviceAccount: { annotations: { "eks.amazonaws.com/role-arn": "arn:aws:iam::1:role/sluice" } },
  env: [{ name: "OTEL_DENO", value: "true" }],
  image: { tag: "1.2.3", pullSecrets: [{ name: "registry" }] },
  nodeSelector: { "kubernetes.io/arch": "arm64" },
  tolerations: [{ key: "spot", operator: "Exists" }],
  affinity: { nodeAffinity: {} },
  podAnnotations: { team: "llm" },
};

testWithHelm(
  "the chart's manifests are valid with the default values and with all options",
  async () => {
    const [standard, full] = (await render([{}, EVERYTHING])).map(manifestsOf);
    for (const manifests of [standard, full]) {
      for (const [name, manifest] of manifests ?? []) assertEquals(faultsOf(manifest), [], name);
    }
    const always = ["config", "deployment", "disruption_budget", "service", "service_account"];
    const names = (kinds: readonly string[]) => kinds.map((kind) => `${kind}.yaml`).toSorted();
    assertEquals(
      [...standard?.keys() ?? []].toSorted(),
      names([...always, "autoscaler", "secret"]),
    );
    assertEquals(
      [...full?.keys() ?? []].toSorted(),
      names([...always, "ingress", "network_policy", "service_monitor"]),
    );
  },
);

testWithHelm("new values of the chart's Secret make new pods", async () => {
  const keys = (key: string) => ({ secret: { values: { SLUICE_API_KEY: key } } });
  const rendered = await render([keys("sk-1"), keys("sk-1"), keys("sk-2"), EVERYTHING]);
  const [one, same, other, own] = rendered.map((one) =>
    manifestsOf(one).get("deployment.yaml").spec.template.metadata.annotations
  );
  assertEquals(Object.keys(one), ["checksum/secret"]);
  assertEquals(same, one);
  assert(other["checksum/secret"] !== one["checksum/secret"]);
  assertEquals(own, { team: "llm" });
});

testWithHelm(
  "the autoscaler alone sets the number of replicas, or the Deployment does",
  async () => {
    const [standard, fixed] = (await render([{}, { autoscaling: { enabled: false }, replicas: 3 }]))
      .map(manifestsOf);
    assertEquals("replicas" in standard?.get("deployment.yaml").spec, false);
    assertEquals(standard?.get("autoscaler.yaml").spec.minReplicas, 2);
    assertEquals(fixed?.get("deployment.yaml").spec.replicas, 3);
  },
);

testWithHelm("what selects pods matches them, and names the Secret and the account", async () => {
  const [{ files, messages } = {}] = await render([EVERYTHING]);
  const manifests = manifestsOf({ ...(files && { files }), ...(messages && { messages }) });
  const { selector, template } = manifests.get("deployment.yaml").spec;
  const labels = selector.matchLabels;
  const selected = Object.entries(labels).every(([name, value]) =>
    template.metadata.labels[name] === value
  );
  assert(selected);
  assertEquals(manifests.get("service.yaml").spec.selector, labels);
  assertEquals(manifests.get("disruption_budget.yaml").spec.selector.matchLabels, labels);
  assertEquals(manifests.get("network_policy.yaml").spec.podSelector.matchLabels, labels);
  assertEquals(manifests.get("service_monitor.yaml").spec.selector.matchLabels, labels);
  const [container] = template.spec.containers;
  assertEquals(container.envFrom, [{ secretRef: { name: "own" } }]);
  assertEquals(container.image, "registry.example.com/sluice:1.2.3");
  assertEquals(
    template.spec.serviceAccountName,
    manifests.get("service_account.yaml").metadata.name,
  );
  const [rule] = manifests.get("ingress.yaml").spec.rules;
  assertEquals(
    rule.http.paths[0].backend.service.name,
    manifests.get("service.yaml").metadata.name,
  );
});

testWithHelm("the rendered configuration is one of the gateway", async () => {
  const [rendering = {}] = await render([{}]);
  const text = manifestsOf(rendering).get("config.yaml").data["config.yaml"];
  const config = loadConfig(text, {
    env: (name) => name === "VALKEY_URL" ? "redis://valkey:6379" : `the-value-of-${name}`.repeat(2),
    readFile: Deno.readTextFileSync,
    now: () => 0,
    newKey: () => "",
    source: "config.yaml",
    adapters,
  });
  assertEquals(config.disabled, []);
  assertEquals(config.serviceKeys.map(({ name }) => name), ["default", "metrics"]);
});

testWithHelm("the gateway starts with the Secret that the chart's notes create", async () => {
  const notes = readRoot(`${CHART}/templates/NOTES.txt`);
  const made = new Map(
    [...notes.matchAll(/--from-literal=(\w+)=((?:\$\([^)]*\)|[^\s$])+)/g)].map((
      [, name = "", value = ""],
    ) =>
      [
        name,
        value.replace(/\$\(openssl rand -hex (\d+)\)/, (_, size) =>
          crypto.getRandomValues(new Uint8Array(Number(size))).toHex()),
      ] as const
    ),
  );
  const [rendering = {}] = await render([{}]);
  const text = manifestsOf(rendering).get("config.yaml").data["config.yaml"];
  const config = loadConfig(text, {
    ...{ adapters, source: "config.yaml", now: () => 0, newKey: () => "generated" },
    env: (name) => made.get(name),
    readFile: Deno.readTextFileSync,
  });
  assertEquals([config.generatedKey, config.serviceKeys.length], [undefined, 2]);
  assert(config.models.some(({ id }) => id.startsWith("gpt-")));
});

testWithHelm("values with unknown names and wrong types are refused", async () => {
  const wrong = [
    { replica: 3 },
    { service: { port: "x" } },
    { config: {}, secret: { values: { A: 1 } } },
    { image: { pullPolicy: "Sometimes" } },
  ];
  const errors = (await render(wrong)).map(({ error = "" }) => error);
  assertStringIncludes(errors[0] ?? "", "'replica' not allowed");
  assertStringIncludes(errors[1] ?? "", "/service/port");
  assertStringIncludes(errors[2] ?? "", "/secret/values/A");
  assertStringIncludes(errors[3] ?? "", "/image/pullPolicy");
});

Deno.test("the chart has the version of the gateway, and its schema describes every value", () => {
  const { version } = JSON.parse(readRoot("deno.json"));
  const chart = parse(readRoot(`${CHART}/Chart.yaml`)) as Manifest;
  assertEquals([chart.version, chart.appVersion], [version, version]);
  const { properties } = JSON.parse(readRoot(`${CHART}/values.schema.json`));
  const values = parse(readRoot(`${CHART}/values.yaml`)) as Readonly<Record<string, unknown>>;
  // Helm adds `global`.
  assertEquals(Object.keys(properties).toSorted(), [...Object.keys(values), "global"].toSorted());
});

const HAS_KUBECTL = (Deno.env.get("PATH") ?? "").split(":").some((folder) => {
  try {
    return Deno.statSync(`${folder}/kubectl`).isFile;
  } catch {
    return false;
  }
});

const NEEDS_KUBECTL = HAS_KUBECTL ? "" : " (skipped: no kubectl here)";

const SQLITE_FOLDER = "deploy/kubernetes_sqlite/";

Deno.test({
  name: `with SQLite, one pod has the volume, and is replaced after its end${NEEDS_KUBECTL}`,
  ignore: !HAS_KUBECTL,
  async fn() {
    const { success, stdout, stderr } = await new Deno.Command("kubectl", {
      args: ["kustomize", new URL(`../../${SQLITE_FOLDER}`, import.meta.url).pathname],
    }).output();
    assert(success, new TextDecoder().decode(stderr));
    const manifests = parseAll(new TextDecoder().decode(stdout)) as Manifest[];
    for (const manifest of manifests.filter(({ kind }) => kind !== "ConfigMap")) {
      assertEquals(faultsOf(manifest), []);
    }
    const kinds = manifests.map(({ kind }) => kind);
    assert(!kinds.includes("HorizontalPodAutoscaler") && !kinds.includes("PodDisruptionBudget"));
    const claim = manifests.find(({ kind }) => kind === "PersistentVolumeClaim");
    const { spec } = manifests.find(({ kind }) => kind === "Deployment");
    assertEquals([spec.replicas, spec.strategy], [1, { type: "Recreate" }]);
    const pod = spec.template.spec;
    const { name } = pod.volumes.find((volume: Manifest) => volume.persistentVolumeClaim);
    assertEquals(pod.volumes.find((volume: Manifest) => volume.name === name), {
      name,
      persistentVolumeClaim: { claimName: claim.metadata.name },
    });
    assertEquals(
      pod.containers[0].volumeMounts.map(({ mountPath }: Manifest) => mountPath).sort(),
      ["/etc/sluice", "/var/lib/sluice"],
    );
    assertEquals(pod.securityContext.fsGroup, pod.securityContext.runAsGroup);
  },
});

/** The manifests of deploy/kubernetes: valid, consistent with each other and with the gateway. */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { parse } from "@std/yaml";
import { loadConfig } from "../../src/config/config.ts";
import { adapters } from "../../src/providers/registry.ts";
import { faultsOf } from "../support/kubernetes.ts";
import { readRoot } from "../support/read_root.ts";

// deno-lint-ignore no-explicit-any -- manifests, whose schemas are checked below
type Manifest = any;

const FOLDER = "deploy/kubernetes/";
const read = (name: string): Manifest => parse(readRoot(`${FOLDER}${name}`));
/** Files that are not manifests. */
const OTHERS = new Set(["kustomization.yaml", "config.yaml"]);
const FILES = [...Deno.readDirSync(new URL(`../../${FOLDER}`, import.meta.url))]
  .map(({ name }) => name).filter((name) => !OTHERS.has(name)).sort();

for (const name of FILES) {
  Deno.test(`deploy/kubernetes/${name} is valid`, () => assertEquals(faultsOf(read(name)), []));
}

Deno.test("faultsOf() finds unknown and missing members, and values of a wrong type", () => {
  const faults = (change: (spec: Manifest) => void) => {
    const manifest = read("deployment.yaml");
    change(manifest.spec);
    return faultsOf(manifest).join();
  };
  const unknown = faults(({ template: { spec } }) => spec.containers[0].livenesProbe = {});
  assertEquals(unknown, "/spec/template/spec/containers/0/livenesProbe is unknown");
  assertStringIncludes(faults((spec) => spec.replicas = "two"), "replicas must be integer");
  assertStringIncludes(faults((spec) => delete spec.selector), "selector");
});

Deno.test("the namespace is applied before the Secret, and the Secret before what uses it", () => {
  const text = readRoot(`${FOLDER}kustomization.yaml`);
  const steps = ["apply -f deploy/kubernetes/namespace.yaml", "create secret", "apply -k"];
  const places = steps.map((step) => text.indexOf(step));
  assert(places.every((place) => place >= 0));
  assertEquals(places, places.toSorted((one, other) => one - other));
});

Deno.test("kustomization.yaml lists every manifest, or says why not", () => {
  const text = readRoot(`${FOLDER}kustomization.yaml`);
  const { resources, configMapGenerator } = read("kustomization.yaml");
  const optional = [...text.matchAll(/^ {2}# - (\S+)$/gm)].map(([, name]) => name);
  // The template would replace the operator's Secret.
  assertEquals([...resources, ...optional, "secret.yaml"].sort(), FILES);
  assertEquals(configMapGenerator[0].files, ["config.yaml"]);
});

/** The environment of the Secret's template, with a value for each variable. */
function secretVariables(): Map<string, string> {
  const names = Object.keys(read("secret.yaml").stringData);
  const valueOf = (name: string) =>
    name === "VALKEY_URL" ? "redis://valkey:6379" : `the-value-of-${name}`.repeat(2);
  return new Map(names.map((name) => [name, valueOf(name)]));
}

function loadGatewayConfig(variables: ReadonlyMap<string, string>) {
  return loadConfig(readRoot(`${FOLDER}config.yaml`), {
    env: (name) => variables.get(name),
    readFile: Deno.readTextFileSync,
    now: () => 0,
    newKey: () => "",
    source: "config.yaml",
    adapters,
  });
}

Deno.test("the configuration is valid with the Secret's variables, and uses all of them", () => {
  const variables = secretVariables();
  const config = loadGatewayConfig(variables);
  assertEquals(config.disabled, []);
  assertEquals(config.sharedStore?.host, "valkey");
  const used = [...readRoot(`${FOLDER}config.yaml`).matchAll(/\$\{(\w+)\}/g)].map(([, name]) =>
    name
  );
  assertEquals([...variables.keys()].sort(), used.sort());
});

Deno.test("the key of the ServiceMonitor may use no model", () => {
  const { authorization, port } = read("service_monitor.yaml").spec.endpoints[0];
  const variables = secretVariables();
  const config = loadGatewayConfig(variables);
  const key = config.authenticate(variables.get(authorization.credentials.key) ?? "");
  if (key === undefined) throw new Error("The key is unknown");
  assertEquals(config.models.filter(({ id }) => config.isAllowed(key, id)), []);
  assertEquals(read("service.yaml").spec.ports.map(({ name }: Manifest) => name), [port]);
});

Deno.test("all manifests select the pods of the Deployment, and name its Secret and its ports", () => {
  const { spec: { replicas, selector, template } } = read("deployment.yaml");
  const labels = template.metadata.labels;
  assertEquals(selector.matchLabels, labels);
  assertEquals(read("service.yaml").spec.selector, labels);
  assertEquals(read("disruption_budget.yaml").spec.selector.matchLabels, labels);
  assertEquals(read("network_policy.yaml").spec.podSelector.matchLabels, labels);
  assertEquals(
    read("service_monitor.yaml").spec.selector.matchLabels,
    read("service.yaml").metadata.labels,
  );
  // Else applying the Deployment again would reset what the autoscaler has set.
  assertEquals(replicas, undefined);
  const { minReplicas } = read("autoscaler.yaml").spec;
  assert(read("disruption_budget.yaml").spec.minAvailable < minReplicas);
  const secret = read("secret.yaml").metadata.name;
  const [container] = template.spec.containers;
  assertEquals(container.envFrom, [{ secretRef: { name: secret } }]);
  const [{ name: port, containerPort }] = container.ports;
  assertEquals(/^EXPOSE (\d+)$/m.exec(readRoot("Dockerfile"))?.[1], String(containerPort));
  for (const probe of ["startupProbe", "readinessProbe", "livenessProbe"]) {
    assertEquals(container[probe].httpGet.port, port, probe);
  }
});

Deno.test("a pod has more time to end than the pause and the drain take, and probes known routes", () => {
  const { template: { spec } } = read("deployment.yaml").spec;
  const [container] = spec.containers;
  const { drain, drain_delay: drainDelay = 5000 } = loadGatewayConfig(secretVariables()).server;
  const pause = container.lifecycle.preStop.sleep.seconds;
  assert(spec.terminationGracePeriodSeconds >= pause + (drainDelay + drain) / 1000 + 5);
  assertEquals(container.readinessProbe.httpGet.path, "/readyz");
  assertEquals(container.livenessProbe.httpGet.path, "/healthz");
  // The volume is the folder in which the gateway looks for its configuration.
  assertEquals(container.volumeMounts[0].mountPath, "/etc/sluice");
  assert(spec.securityContext.runAsNonRoot && container.securityContext.readOnlyRootFilesystem);
});

const SQLITE_FOLDER = "deploy/kubernetes_sqlite/";

Deno.test("the claim of a volume for SQLite is valid", () => {
  const claim = parse(readRoot(`${SQLITE_FOLDER}volume_claim.yaml`)) as Manifest;
  assertEquals(faultsOf(claim), []);
});

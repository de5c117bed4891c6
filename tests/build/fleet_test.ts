/** deploy/fleet and deploy/inference: consistent with each other, with .env.example and the gateway. */

import { assert, assertEquals } from "@std/assert";
import { parse, parseAll } from "@std/yaml";
import * as z from "zod";
import { loadConfig } from "../../src/config/config.ts";
import { adapters } from "../../src/providers/registry.ts";
import { faultsOf } from "../support/kubernetes.ts";
import { readRoot } from "../support/read_root.ts";

const FLEET = "deploy/fleet/";

interface Service {
  readonly image: string;
  readonly volumes?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly depends_on?: unknown;
  readonly secrets?: readonly string[];
}

const COMPOSE = parse(readRoot(`${FLEET}compose.yaml`)) as {
  readonly services: Readonly<Record<string, Service>>;
  readonly secrets: Readonly<Record<string, { readonly environment: string }>>;
  readonly volumes: Readonly<Record<string, unknown>>;
};

/** The variables that a text refers to. */
function variablesIn(text: string): string[] {
  return [...text.matchAll(/(?<!\$)\$\{([A-Z][A-Z0-9_]*)/g)].map(([, name = ""]) => name);
}

Deno.test("every variable of a shipped file is in .env.example", () => {
  const files = [
    ...["config.yaml", "deploy/compose.yaml", "deploy/kubernetes/config.yaml"],
    ...[`${FLEET}compose.yaml`, `${FLEET}config.yaml`, "deploy/inference/config.yaml"],
    "deploy/helm/sluice/values.yaml",
  ];
  const listed = new Set(
    [...readRoot(".env.example").matchAll(/^(?:# )?([A-Z][A-Z0-9_]*)=/gm)].map(([, name]) => name),
  );
  for (const file of files) {
    // Comments name examples.
    const text = readRoot(file).replaceAll(/(^|\s)#.*$/gm, "");
    assertEquals(variablesIn(text).filter((name) => !listed.has(name)), [], file);
  }
});

Deno.test("the fleet's configuration is valid, and shares limits, state and one ledger", () => {
  const { VALKEY_URL = "", DATABASE_URL = "" } = COMPOSE.services.sluice?.environment ?? {};
  const config = loadConfig(readRoot(`${FLEET}config.yaml`), {
    env: (name) => {
      const given = new Map([["VALKEY_URL", VALKEY_URL], ["DATABASE_URL", DATABASE_URL]]);
      const url = given.get(name)?.replaceAll(/\$\{\w+:\?\}/g, "password");
      return url ?? `the-value-of-${name}`.repeat(2);
    },
    readFile: Deno.readTextFileSync,
    now: () => 0,
    newKey: () => "",
    source: "config.yaml",
    adapters,
  });
  assertEquals([config.disabled, config.disabledAliases], [[], []]);
  assertEquals(config.sharedStore?.host, "valkey");
  assert(config.store?.kind === "postgres" && config.store.host === "postgres");
  const metrics = config.authenticate("the-value-of-SLUICE_METRICS_KEY".repeat(2));
  assertEquals(metrics?.name, "metrics");
});

Deno.test("the fleet's services mount existing files, and declared volumes and secrets", async () => {
  const volumes = new Set<string>();
  for (const [name, { image, ...service }] of Object.entries(COMPOSE.services)) {
    if (name !== "sluice") assert(/:v?\d+\.?[\w.-]*$/.test(image), `${image} has a version`);
    for (const mount of service.volumes ?? []) {
      const [from = ""] = mount.split(":");
      if (!from.startsWith(".")) volumes.add(from);
      else await Deno.stat(new URL(`../../${FLEET}${from}`, import.meta.url));
    }
    for (const secret of service.secrets ?? []) assert(secret in COMPOSE.secrets);
  }
  assertEquals([...volumes].toSorted(), Object.keys(COMPOSE.volumes).toSorted());
  const { scrape_configs: [scrape] } = parse(readRoot("deploy/monitoring/prometheus.yml")) as {
    scrape_configs: { authorization: unknown; dns_sd_configs: { names: string[] }[] }[];
  };
  assertEquals(scrape?.dns_sd_configs[0]?.names, ["sluice"]);
  assertEquals(Object.keys(COMPOSE.secrets), ["sluice_key"]);
  // The dashboard's default data source is the one that is provisioned.
  const { datasources: [source] } = parse(readRoot(`${FLEET}grafana/datasources.yaml`)) as {
    datasources: { uid: string; url: string }[];
  };
  assertEquals([source?.uid, source?.url], ["prometheus", "http://prometheus:9090"]);
  const { providers: [provider] } = parse(readRoot(`${FLEET}grafana/dashboards.yaml`)) as {
    providers: { options: { path: string } }[];
  };
  const folder = provider?.options.path ?? "?";
  assert(COMPOSE.services.grafana?.volumes?.some((mount) => mount.includes(`:${folder}/`)));
});

/** https://gateway-api-inference-extension.sigs.k8s.io/reference/spec/ (2026-11). */
const inferencePool = z.strictObject({
  apiVersion: z.literal("inference.networking.k8s.io/v1"),
  kind: z.literal("InferencePool"),
  metadata: z.strictObject({ name: z.string() }),
  spec: z.strictObject({
    selector: z.strictObject({ matchLabels: z.record(z.string(), z.string()) }),
    targetPorts: z.array(z.strictObject({ number: z.int().min(1).max(65535) })).min(1).max(8),
    endpointPickerRef: z.strictObject({
      name: z.string(),
      port: z.strictObject({ number: z.int() }),
      failureMode: z.enum(["FailOpen", "FailClose"]),
    }),
  }),
});

Deno.test("the inference pool selects the pods of its Deployment, and its route leads to it", () => {
  // deno-lint-ignore no-explicit-any -- manifests
  const [deployment, pool, route] = parseAll(readRoot("deploy/inference/pool.yaml")) as any[];
  assertEquals(faultsOf(deployment), []);
  const { spec, metadata } = inferencePool.parse(pool);
  const [container] = deployment.spec.template.spec.containers;
  assertEquals(spec.selector.matchLabels, deployment.spec.template.metadata.labels);
  assertEquals(spec.targetPorts, [{ number: container.ports[0].containerPort }]);
  const [backend] = route.spec.rules[0].backendRefs;
  assertEquals([backend.kind, backend.name], ["InferencePool", metadata.name]);
  const config = loadConfig(readRoot("deploy/inference/config.yaml"), {
    env: (name) => `a-key-of-${name}`,
    readFile: Deno.readTextFileSync,
    now: () => 0,
    newKey: () => "sk-generated",
    source: "config.yaml",
    adapters,
  });
  // The name that clients use is the one that the server was given.
  assert(container.args.includes("--served-model-name=llama-3.1-8b"));
  assertEquals(config.route("chat")?.groups.map(({ targets }) => targets.length), [1, 1]);
  assertEquals(config.resolve("llama-3.1-8b")?.length, 1);
});

/** The alerts, the dashboard and the collector of deploy/monitoring, against the metrics. */

import { assert, assertEquals } from "@std/assert";
import { parse } from "@std/yaml";
import { readCommand } from "../../src/tools/arguments.ts";
import { configSchema } from "../../src/config/config.ts";
import { adapters } from "../../src/providers/registry.ts";
import { SharedLimitsMetrics, SharedStateMetrics } from "../../src/telemetry/shared_metrics.ts";
import { DASHBOARD, dashboardSchema, readQueries } from "../support/dashboard.ts";
import { createTestMetrics } from "../support/gateway.ts";
import { readRoot } from "../support/read_root.ts";

const FOLDER = "deploy/monitoring/";
const TESTS = ["alerts_test.yml", "alerts_day_test.yml"];

interface Rule {
  readonly alert: string;
  readonly expr: string;
}

const { groups } = parse(readRoot(`${FOLDER}alerts.yml`)) as {
  groups: readonly { readonly rules: readonly Rule[] }[];
};
const RULES = groups.flatMap(({ rules }) => rules);

/** The labels of each series of /metrics, by its name. Prometheus adds `job` and `instance`. */
function readSeries(): Map<string, ReadonlySet<string>> {
  const metrics = createTestMetrics();
  const { meter, registry } = metrics;
  // It exists where a listener has a certificate.
  metrics.server.certificatesEnd(0);
  new SharedLimitsMetrics(meter);
  new SharedStateMetrics(meter);
  const series = new Map<string, ReadonlySet<string>>([["up", new Set(["job", "instance"])]]);
  for (const metric of registry.getMetricsAsArray()) {
    const { name, labelNames = [], type } = metric as unknown as {
      readonly name: string;
      readonly labelNames?: readonly string[];
      readonly type: string;
    };
    const labels = [...labelNames, "job", "instance"];
    series.set(name, new Set(labels));
    if (type !== "histogram") continue;
    series.set(`${name}_bucket`, new Set([...labels, "le"]));
    for (const part of ["sum", "count"]) series.set(`${name}_${part}`, new Set(labels));
  }
  return series;
}

const SERIES = readSeries();
const UP = /\bup\b/.source;
const SELECTOR = new RegExp(String.raw`\b(sluice_\w+|process_\w+|${UP})(?:\{([^}]*)\})?`, "g");

/** What an expression names that /metrics does not have: series, and labels of them. */
function unknownIn(expr: string): string[] {
  const unknown: string[] = [];
  const labels = new Set<string>();
  for (const [, name = "", matchers = ""] of expr.matchAll(SELECTOR)) {
    const known = SERIES.get(name);
    if (known === undefined) unknown.push(name);
    for (const label of known ?? []) labels.add(label);
    for (const [, label = ""] of matchers.matchAll(/(\w+)\s*[=!]~?/g)) {
      if (!known?.has(label)) unknown.push(`${name}{${label}}`);
    }
  }
  for (const [, list = ""] of expr.matchAll(/\bby \(([^)]*)\)/g)) {
    unknown.push(...list.split(/,\s*/).filter((label) => !labels.has(label)));
  }
  if (labels.size === 0) unknown.push(`no series: ${expr}`);
  return unknown;
}

Deno.test("unknownIn() finds unknown metrics and labels", () => {
  assertEquals(unknownIn('sum by (kye) (rate(sluice_token_total{job="a"}[5m]))'), [
    ...["sluice_token_total", "sluice_token_total{job}", "kye"],
    'no series: sum by (kye) (rate(sluice_token_total{job="a"}[5m]))',
  ]);
  assertEquals(unknownIn('sluice_workers{model=~".*"}'), ["sluice_workers{model}"]);
  assertEquals(unknownIn("sum by (le, job) (rate(sluice_overhead_seconds_bucket[5m]))"), []);
});

Deno.test("every metric and label of the alerts exists, and the README says what to do", () => {
  assert(RULES.length > 20);
  assertEquals(RULES.flatMap(({ expr }) => unknownIn(expr)), []);
  const headings = [...readRoot(`${FOLDER}README.md`).matchAll(/^### (\w+)$/gm)].map(([, name]) =>
    name
  );
  assertEquals(headings.toSorted(), RULES.map(({ alert }) => alert).toSorted());
});

Deno.test("every alert has a unit test in which it fires", () => {
  const documents = TESTS.map((name) => parse(readRoot(`${FOLDER}${name}`))) as {
    tests: readonly {
      readonly alert_rule_test?: readonly {
        readonly alertname: string;
        readonly exp_alerts: readonly unknown[];
      }[];
    }[];
  }[];
  const firing = documents.flatMap(({ tests }) => tests).flatMap(({ alert_rule_test = [] }) =>
    alert_rule_test
  )
    .filter(({ exp_alerts }) => exp_alerts.length > 0).map(({ alertname }) => alertname);
  assertEquals(firing.toSorted(), RULES.map(({ alert }) => alert).toSorted());
});

Deno.test("the dashboard has the form of Grafana's, and its panels do not overlap", () => {
  const { panels, templating } = dashboardSchema.parse(DASHBOARD);
  assertEquals(new Set(panels.map(({ id }) => id)).size, panels.length);
  const cells = new Set<string>();
  for (const { title, gridPos: { x, y, w, h }, targets = [] } of panels) {
    assert(x + w <= 24, title);
    for (let column = x; column < x + w; column++) {
      for (let line = y; line < y + h; line++) {
        assert(!cells.has(`${column},${line}`), `${title} overlaps`);
        cells.add(`${column},${line}`);
      }
    }
    assertEquals(new Set(targets.map(({ refId }) => refId)).size, targets.length, title);
  }
  const used = [...JSON.stringify(DASHBOARD).matchAll(/\$\{?(?!__)(\w+)/g)].map(([, name]) => name);
  assertEquals(
    [...new Set(used)].toSorted(),
    templating.list.map(({ name }) => name).toSorted(),
  );
});

Deno.test("every metric and label of the dashboard exists, and shows what each row is about", () => {
  const queries = readQueries();
  assert(queries.length > 40);
  assertEquals(queries.flatMap(unknownIn), []);
});

Deno.test("the collector's pipelines use what it defines, and all of it", () => {
  interface Pipeline {
    readonly receivers: readonly string[];
    readonly processors: readonly string[];
    readonly exporters: readonly string[];
  }
  const { service, ...parts } = parse(readRoot(`${FOLDER}collector.yaml`)) as {
    readonly service: {
      readonly extensions: readonly string[];
      readonly pipelines: Readonly<Record<string, Pipeline>>;
    };
  } & Readonly<Record<keyof Pipeline | "extensions", Readonly<Record<string, unknown>>>>;
  const pipelines = Object.values(service.pipelines);
  for (const kind of ["receivers", "processors", "exporters"] as const) {
    const used = new Set(pipelines.flatMap((pipeline) => pipeline[kind]));
    assertEquals([...used].toSorted(), Object.keys(parts[kind]).toSorted(), kind);
  }
  assertEquals(service.extensions, Object.keys(parts.extensions));
  // What limits memory comes first, and what makes batches last.
  for (const { processors } of pipelines) {
    assertEquals([processors[0], processors.at(-1)], ["memory_limiter", "batch"]);
  }
});

/** The pages for operators. */
const PAGES = [
  "docs/operations/sizing.md",
  "docs/operations/troubleshooting.md",
  `${FOLDER}README.md`,
];

Deno.test("the operators' pages name existing metrics, settings and commands", () => {
  const { properties } = configSchema(adapters) as {
    properties: Readonly<Record<string, { readonly properties?: object }>>;
  };
  for (const page of PAGES) {
    const text = readRoot(page);
    const named = [...text.matchAll(/\b((?:sluice|process)_[a-z_]+)\b/g)].map(([, name = ""]) =>
      name
    );
    assertEquals(named.filter((name) => !SERIES.has(name)), [], page);
    for (
      const [, section = "", member = ""] of text.matchAll(
        /`(server|routing|telemetry|limits)\.(\w+)/g,
      )
    ) {
      assert(member in (properties[section]?.properties ?? {}), `${page}: ${section}.${member}`);
    }
    const commands = [...text.matchAll(/(?:^|`)sluice ((?!_)[a-z][^`#\n]*)/gm)];
    for (const [, words = ""] of commands) readCommand(words.trim().split(/\s+/));
  }
});

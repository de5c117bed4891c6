/** The dashboard of deploy/monitoring. */

import * as z from "zod";
import { readRoot } from "./read_root.ts";

const datasource = z.strictObject({
  type: z.literal("prometheus"),
  uid: z.literal("${datasource}"),
});

/**
 * A strict schema of the parts of a Grafana dashboard that this one uses. The members are those of
 * schema version 39
 * (https://grafana.com/docs/grafana/latest/dashboards/build-dashboards/view-dashboard-json-model/,
 * 2026-11).
 */
export const dashboardSchema = z.strictObject({
  uid: z.string().max(40),
  title: z.string().min(1),
  description: z.string(),
  tags: z.array(z.string()),
  schemaVersion: z.literal(39),
  version: z.number(),
  editable: z.boolean(),
  graphTooltip: z.union([z.literal(0), z.literal(1), z.literal(2)]),
  timezone: z.string(),
  refresh: z.string().regex(/^\d+[smh]$/),
  time: z.strictObject({ from: z.string(), to: z.string() }),
  fiscalYearStartMonth: z.number(),
  links: z.array(z.never()),
  annotations: z.strictObject({
    list: z.array(z.strictObject({
      ...{ name: z.string(), datasource, enable: z.boolean(), iconColor: z.string() },
      ...{ expr: z.string(), titleFormat: z.string() },
    })),
  }),
  templating: z.strictObject({
    list: z.array(z.looseObject({
      name: z.string().regex(/^\w+$/),
      type: z.enum(["datasource", "query"]),
      definition: z.string().optional(),
    })),
  }),
  panels: z.array(z.strictObject({
    id: z.int().positive(),
    type: z.enum(["row", "timeseries", "stat", "table"]),
    title: z.string().min(1),
    description: z.string().optional(),
    collapsed: z.boolean().optional(),
    panels: z.array(z.never()).optional(),
    datasource: datasource.optional(),
    gridPos: z.strictObject({
      h: z.int().positive(),
      w: z.int().positive().max(24),
      x: z.int().min(0).max(23),
      y: z.int().min(0),
    }),
    targets: z.array(z.strictObject({
      datasource,
      refId: z.string().regex(/^[A-Z]$/),
      expr: z.string().min(1),
      legendFormat: z.string().optional(),
      format: z.literal("table").optional(),
      instant: z.boolean().optional(),
    })).optional(),
    fieldConfig: z.strictObject({
      defaults: z.looseObject({ unit: z.string() }),
      overrides: z.array(z.never()),
    }).optional(),
    options: z.record(z.string(), z.unknown()).optional(),
    transformations: z.array(z.strictObject({ id: z.literal("organize"), options: z.unknown() }))
      .optional(),
  })),
});

/** The dashboard itself. */
export const DASHBOARD = JSON.parse(readRoot("deploy/monitoring/grafana_dashboard.json"));

/** All queries of the dashboard, with values in place of the variables. */
export function readQueries(): string[] {
  const { panels, annotations, templating } = dashboardSchema.parse(DASHBOARD);
  return [
    ...panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)),
    ...annotations.list.map(({ expr }) => expr),
    ...templating.list.flatMap(({ definition }) =>
      [...(definition ?? "").matchAll(/^label_values\((.*), \w+\)$/g)].map(([, expr = ""]) => expr)
    ),
  ];
}

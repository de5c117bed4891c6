/** The reference of the access log: the members of each kind of line, from its JSON Schema. */

import { logSchema } from "../../src/telemetry/log_schema.ts";

interface Member {
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly description?: string;
}

interface Line {
  readonly description?: string;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Member>>;
}

export function toLogMarkdown(): string {
  const { anyOf } = logSchema() as { anyOf: readonly Line[] };
  return anyOf.map(({ description = "", required = [], properties = {} }) => {
    const rows = Object.entries(properties).map(([name, member]) => {
      const presence = required.includes(name) ? "always" : "";
      return `| \`${name}\` | ${typeOf(member)} | ${presence} | ${member.description ?? ""} |`;
    });
    return [
      `### ${description.replace(/[,:].*$/, "")}`,
      `${description}.`,
      ["| member | type | present | meaning |", "| --- | --- | --- | --- |", ...rows].join("\n"),
    ].join("\n\n");
  }).join("\n\n");
}

function typeOf({ type, const: value, enum: values }: Member): string {
  if (value !== undefined) return `\`${value}\``;
  return values?.map((one) => `\`${one}\``).join(", ") ?? type ?? "";
}

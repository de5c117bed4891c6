/** Checks requests and answers against the OpenAPI description. */

import { assert, assertEquals } from "@std/assert";
import { Ajv2020 } from "ajv/2020";

type Json = Record<string, unknown>;

interface Operation {
  readonly parameters?: readonly { readonly name?: string }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, unknown>> };
  readonly responses: Readonly<
    Record<string, { readonly $ref?: string; readonly content?: Readonly<Record<string, Json>> }>
  >;
}

export interface Description {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Json>>;
    readonly responses: Readonly<
      Record<string, { readonly content: Readonly<Record<string, Json>> }>
    >;
  };
}

/** A name within a JSON pointer, in a URL. */
const step = (name: string) => encodeURIComponent(name.replaceAll("~", "~0").replaceAll("/", "~1"));

export class DescriptionCheck {
  readonly #description: Description;
  readonly #ajv = new Ajv2020({ strict: false, allErrors: false, validateFormats: false });

  constructor(description: Description) {
    this.#description = description;
    this.#ajv.addSchema(description, "api:");
  }

  /** The faults of a value, by the schema at a path of the description. */
  faults(pointer: string, value: unknown): string | undefined {
    const validate = this.#ajv.getSchema(`api:#${pointer}`);
    if (validate === undefined) throw new TypeError(`no schema at ${pointer}`);
    return validate(value) ? undefined : this.#ajv.errorsText(validate.errors);
  }

  /** Whether a body matches the description of a request. */
  acceptsBody(method: string, path: string, body: unknown): boolean {
    const pointer = `/paths/${step(path)}/${method}/requestBody/content/application~1json/schema`;
    return this.faults(pointer, body) === undefined;
  }

  /** @throws {Error} unless an answer matches the description. */
  async checkAnswer(method: string, path: string, response: Response): Promise<void> {
    const text = await response.text();
    const [type = ""] = (response.headers.get("content-type") ?? "").split(";");
    const place = `${method} ${path}: ${response.status} ${type}`;
    const { responses } = this.#description.paths[path]?.[method] ?? { responses: {} };
    const status = `${response.status}` in responses
      ? `${response.status}`
      : `${response.status}`[0] + "XX";
    const described = responses[status];
    if (described === undefined) throw new TypeError(`${place} is not described`);
    const base = described.$ref?.slice(1) ?? `/paths/${step(path)}/${method}/responses/${status}`;
    const content = described.$ref === undefined
      ? described.content
      : this.#description.components.responses[described.$ref.split("/").at(-1) ?? ""]?.content;
    const range = Object.keys(content ?? {}).find((known) =>
      known === type || known === `${type.split("/")[0]}/*`
    );
    if (range === undefined) {
      throw new TypeError(`${place} is not a described type: ${text.slice(0, 300)}`);
    }
    const media = content?.[range] ?? {};
    const schema = `${base}/content/${step(range)}`;
    if (type === "application/json") {
      assertEquals(
        this.faults(`${schema}/schema`, JSON.parse(text)),
        undefined,
        `${place} ${text}`,
      );
    }
    if (!("x-event-schema" in media)) return;
    const events = type === "application/x-ndjson"
      ? text.trim().split("\n")
      : [...text.matchAll(/^data: (.*)$/gm)].map(([, data = ""]) => data);
    assert(events.length > 0, `${place} has no events`);
    for (const event of events.filter((data) => data !== "[DONE]")) {
      const found = this.faults(`${schema}/x-event-schema`, JSON.parse(event));
      assertEquals(found, undefined, `${place} ${event}`);
    }
  }
}

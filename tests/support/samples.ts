/** Reads /metrics as Prometheus does. */

import parse from "parse-prometheus-text-format";
import type { TestGateway } from "./gateway.ts";

type Labels = Readonly<Record<string, string>>;

interface Family {
  readonly name: string;
  readonly metrics: readonly { readonly value?: string; readonly labels?: Labels }[];
}

/** The samples of one scrape. */
export class Samples {
  readonly #families: readonly Family[];

  constructor(text: string) {
    // The parser keeps one series of each histogram; untyped, their samples are all there.
    this.#families = parse(text.replaceAll(/^# TYPE .*\n/gm, "")) as Family[];
  }

  get names(): readonly string[] {
    return this.#families.map(({ name }) => name);
  }

  /** All series of a name, with their non-empty labels. */
  all(name: string): readonly (readonly [Labels, number])[] {
    const family = this.#families.find((family) => family.name === name);
    return (family?.metrics ?? []).map(({ labels = {}, value }) => [
      Object.fromEntries(Object.entries(labels).filter(([, text]) => text !== "")),
      Number(value),
    ]);
  }

  /** The sum of the series that have these labels. */
  sum(name: string, labels: Labels = {}): number {
    return this.all(name)
      .filter(([own]) => Object.entries(labels).every(([label, text]) => own[label] === text))
      .reduce((sum, [, value]) => sum + value, 0);
  }
}

/** Reads the current metrics. */
export async function scrape(gateway: Pick<TestGateway, "call">): Promise<Samples> {
  return new Samples(await (await gateway.call("/metrics")).text());
}

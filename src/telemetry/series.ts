/**
 * Counters and histograms for requests. A series is looked up once and then kept by its users, so
 * that incrementing it only adds a number; prom-client builds a string of all labels for each
 * increment.
 */

import { type Aggregator, Gauge, type Registry } from "./prom_client.ts";

interface MetricOptions<Label extends string> {
  readonly name: string;
  readonly help: string;
  readonly labels: readonly Label[];
  /** The divisor of added amounts and observed values. */
  readonly unit: number;
  /** How several workers' values are combined. */
  readonly aggregator: Aggregator;
}

/** A counter's value for certain label values. */
export interface CounterSeries {
  /** The value, in the counter's unit. */
  sum: number;
}

/** A series and its label values. */
interface Labeled<Series> {
  readonly labels: Readonly<Record<string, string>>;
  readonly series: Series;
}

/** One sample in a scrape. */
interface Sample {
  readonly labels: Readonly<Record<string, string | number>>;
  readonly value: number;
  /** Default: the metric's name. */
  readonly metricName?: string;
}

/** A metric in a registry, whose values are read on each scrape. */
abstract class Metric<Label extends string, Series> {
  readonly name: string;
  readonly help: string;
  abstract readonly type: "counter" | "histogram";
  readonly aggregator: Aggregator;
  readonly labelNames: readonly Label[];
  protected readonly unit: number;
  /** The series by their label values, in the order of first use. */
  readonly #series = new Map<string, Labeled<Series>>();

  constructor(
    registry: Registry,
    { name, help, labels, unit, aggregator }: MetricOptions<Label>,
  ) {
    this.name = name;
    this.help = help;
    this.aggregator = aggregator;
    this.labelNames = labels;
    this.unit = unit;
    // The type of prom-client requires its own class, but its registry only reads these members.
    registry.registerMetric(this as unknown as Parameters<Registry["registerMetric"]>[0]);
  }

  /** The series with these label values. */
  of(...values: readonly string[]): Series {
    const id = values.join("\0");
    let labeled = this.#series.get(id);
    if (labeled === undefined) {
      const labels = this.labelNames.map((label, index) => [label, values[index] ?? ""]);
      labeled = { labels: Object.fromEntries(labels), series: this.create() };
      this.#series.set(id, labeled);
    }
    return labeled.series;
  }

  /** The values, in the form that a prom-client registry reads. */
  get() {
    const { aggregator, help, name, type } = this;
    // A metric without labels has a value from the start.
    if (this.labelNames.length === 0) this.of();
    const values: Sample[] = [];
    for (const labeled of this.#series.values()) values.push(...this.read(labeled));
    return { name, help, type, values, aggregator };
  }

  protected abstract create(): Series;
  protected abstract read(labeled: Labeled<Series>): readonly Sample[];
}

/** A counter. */
export class Counter<Label extends string = never> extends Metric<Label, CounterSeries> {
  readonly type = "counter";

  /** @param values of the labels, in order */
  add(amount: number, ...values: readonly string[]): void {
    this.of(...values).sum += amount;
  }

  protected create(): CounterSeries {
    return { sum: 0 };
  }

  protected read({ labels, series: { sum } }: Labeled<CounterSeries>): readonly Sample[] {
    return [{ value: sum / this.unit, labels }];
  }
}

/** A histogram's observations for certain label values, in its unit. */
export class HistogramSeries {
  /**
   * The number of values in each bucket, not cumulative; those above the last bound are only in the
   * count.
   */
  readonly counts: Float64Array;
  sum = 0;
  count = 0;
  /** A bound function, so that a stream need not create one. */
  readonly observe: (value: number) => void;

  /** @param bounds in the histogram's unit */
  constructor(bounds: readonly number[]) {
    const counts = this.counts = new Float64Array(bounds.length);
    this.observe = (value) => {
      this.sum += value;
      this.count++;
      for (let bucket = 0; bucket < bounds.length; bucket++) {
        if (value > (bounds[bucket] as number)) continue;
        counts[bucket] = (counts[bucket] as number) + 1;
        return;
      }
    };
  }
}

/** A histogram. */
export class Histogram<Label extends string = never> extends Metric<Label, HistogramSeries> {
  readonly type = "histogram";
  readonly #bounds: readonly number[];

  /** @param bounds the upper bounds of the buckets, in ascending order */
  constructor(registry: Registry, options: MetricOptions<Label>, bounds: readonly number[]) {
    super(registry, options);
    this.#bounds = bounds;
  }

  protected create(): HistogramSeries {
    return new HistogramSeries(this.#bounds.map((bound) => bound * this.unit));
  }

  protected read({ labels, series }: Labeled<HistogramSeries>): readonly Sample[] {
    // A series that was only looked up has no values yet.
    if (series.count === 0 && this.labelNames.length > 0) return [];
    const metricName = `${this.name}_bucket`;
    let total = 0;
    const buckets = this.#bounds.map((le, index) => {
      total += series.counts[index] ?? 0;
      return { labels: { le, ...labels }, value: total, metricName };
    });
    return [
      ...buckets,
      { labels: { le: "+Inf", ...labels }, value: series.count, metricName },
      { labels, value: series.sum / this.unit, metricName: `${this.name}_sum` },
      { labels, value: series.count, metricName: `${this.name}_count` },
    ];
  }
}

/** Creates the metrics in a registry. */
export class Meter {
  readonly #registry: Registry;

  constructor(registry: Registry) {
    this.#registry = registry;
  }

  /**
   * @param unit how many added units make one counter unit
   * @param aggregator how several workers' values are combined
   */
  counter<Label extends string = never>(
    name: string,
    help: string,
    labels: readonly Label[] = [],
    unit = 1,
    aggregator: Aggregator = "sum",
  ): Counter<Label> {
    return new Counter(this.#registry, { name, help, labels, unit, aggregator });
  }

  /** @param aggregator how several workers' values are combined */
  gauge<Label extends string = never>(
    name: string,
    help: string,
    labelNames: readonly Label[] = [],
    aggregator: Aggregator = "sum",
  ): Gauge<Label> {
    return new Gauge({ name, help, labelNames, aggregator, registers: [this.#registry] });
  }

  /** @param unit how many observed units make one histogram unit */
  histogram<Label extends string = never>(
    name: string,
    help: string,
    bounds: readonly number[],
    labels: readonly Label[] = [],
    unit = 1,
  ): Histogram<Label> {
    const options = { name, help, labels, unit, aggregator: "sum" } as const;
    return new Histogram(this.#registry, options, bounds);
  }
}

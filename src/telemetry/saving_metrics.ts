/** The metrics of what saves money: sessions that stay, marks of prompts, and caches. */

import { Counter, type Registry } from "./prom_client.ts";
import { savedByCache, toUsd } from "../governance/cost.ts";
import { toBilled, usedBy } from "../routing/attempt_usage.ts";
import type { ModelLabels } from "./model_labels.ts";
import type { RequestRecord } from "../routing/request_record.ts";

const TARGET_LABELS = ["provider", "model"] as const;

/** Counts each request once, after it has ended. */
export class SavingMetrics {
  readonly #models: ModelLabels;
  readonly #affinity: Counter<"result" | "reason">;
  readonly #marks: Counter<(typeof TARGET_LABELS)[number] | "marks">;
  readonly #saved: Counter<(typeof TARGET_LABELS)[number] | "cache">;
  readonly #lost: Counter<(typeof TARGET_LABELS)[number]>;

  constructor(registry: Registry, models: ModelLabels) {
    this.#models = models;
    const registers = [registry];
    this.#affinity = new Counter({
      name: "sluice_affinity_requests_total",
      help: "Answered requests of sessions: new, hit where the session was, or moved for a reason",
      labelNames: ["result", "reason"],
      registers,
    });
    this.#marks = new Counter({
      name: "sluice_prompt_marks_total",
      help: "Requests that the gateway could mark for a prompt cache: all, prefix or stopped",
      labelNames: [...TARGET_LABELS, "marks"],
      registers,
    });
    this.#saved = new Counter({
      name: "sluice_saved_usd_total",
      help: "US dollars that caches have saved, by requests that saved some: prompt or response",
      labelNames: [...TARGET_LABELS, "cache"],
      registers,
    });
    this.#lost = new Counter({
      name: "sluice_prompt_cache_loss_usd_total",
      help: "US dollars that writes to prompt caches cost, by requests that read less than that",
      labelNames: TARGET_LABELS,
      registers,
    });
  }

  record(record: RequestRecord): void {
    const { affinity, columns } = record;
    if (columns.affinity !== undefined) {
      const isMoved = columns.affinity === "moved";
      const reason = isMoved ? affinity?.moveReason ?? "" : "";
      this.#affinity.inc({ result: columns.affinity, reason });
    }
    // What an answer of the response cache would have cost.
    if (columns.savedUsd !== undefined && columns.savedUsd > 0) {
      this.#saved.inc({ provider: "", model: "", cache: "response" }, columns.savedUsd);
    }
    for (const attempt of record.billed) {
      const { provider, receipt: { promptMarks: marks } } = attempt;
      const model = this.#models.of(provider, attempt.upstream);
      if (marks !== undefined) this.#marks.inc({ provider, model, marks });
      const { usage } = usedBy(attempt, record);
      const saved = toUsd(usage && savedByCache(toBilled(attempt, usage))) ?? 0;
      if (saved > 0) this.#saved.inc({ provider, model, cache: "prompt" }, saved);
      if (saved < 0) this.#lost.inc({ provider, model }, -saved);
    }
  }
}

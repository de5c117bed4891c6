/** The metrics of what saves money: sessions that stay, marks of prompts, and caches. */

import type { Registry } from "./prom_client.ts";
import type { RequestRecord } from "../routing/request_record.ts";
import { Counter } from "./series.ts";
import { TARGET_LABELS, type TargetLabel } from "./target_series.ts";

/** Counts each request once, after it has ended. */
export class SavingMetrics {
  readonly #affinity: Counter<"result" | "reason">;
  readonly marks: Counter<TargetLabel | "marks">;
  readonly saved: Counter<TargetLabel | "cache">;
  readonly lost: Counter<TargetLabel>;

  constructor(registry: Registry) {
    this.#affinity = new Counter(registry, {
      name: "sluice_affinity_requests_total",
      help: "Answered requests of sessions: new, hit where the session was, or moved for a reason",
      labels: ["result", "reason"],
    });
    this.marks = new Counter(registry, {
      name: "sluice_prompt_marks_total",
      help: "Requests that the gateway could mark for a prompt cache: all, prefix or stopped",
      labels: [...TARGET_LABELS, "marks"],
    });
    this.saved = new Counter(registry, {
      name: "sluice_saved_usd_total",
      help: "US dollars that caches have saved, by requests that saved some: prompt or response",
      labels: [...TARGET_LABELS, "cache"],
    });
    this.lost = new Counter(registry, {
      name: "sluice_prompt_cache_loss_usd_total",
      help: "US dollars that writes to prompt caches cost, by requests that read less than that",
      labels: TARGET_LABELS,
    });
  }

  /** Counts what does not depend on the attempts of a request. */
  record({ features, columns }: RequestRecord): void {
    if (columns.affinity !== undefined) {
      const isMoved = columns.affinity === "moved";
      this.#affinity.add(1, columns.affinity, isMoved ? features.session?.moveReason ?? "" : "");
    }
    // What an answer of the response cache would have cost.
    if (columns.savedUsd !== undefined && columns.savedUsd > 0) {
      this.saved.add(columns.savedUsd, "", "", "response");
    }
  }
}

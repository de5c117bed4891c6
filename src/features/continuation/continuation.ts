/** Continuation as a feature: another target takes a stream on that is cut. */

import type { FallbackTarget } from "../../config/config.ts";
import { ERROR_KINDS, type FailureClass, type GatewayError } from "../../core/errors.ts";
import type { Feature, RequestFeature } from "../../gateway/feature.ts";
import type { CutStream } from "../../gateway/feature_attempts.ts";
import type { OpenStream } from "../../streaming/fold.ts";
import { ContinuedStream } from "./continued_stream.ts";

/** Continues streams, where the policy of their model says so. */
export const continuation: Feature = {
  name: "continuation",
  plan({ policy }) {
    if (policy.on_stream_failure !== "continue") return undefined;
    return { start: ({ stream }) => stream ? CONTINUING : undefined };
  },
};

const CONTINUING: RequestFeature = {
  continueStream: (cut) => new ContinuedStream(cut.stream, (failure) => openNext(failure, cut)),
  explain: () => ({ on_stream_failure: "continue" }),
};

/** The failures after which another target continues: a refused answer is not continued. */
const CONTINUED: ReadonlySet<FailureClass | null> = new Set<FailureClass | null>([
  "rate_limited",
  "quota",
  "unavailable",
  "timeout",
]);

/** A comment that marks the place in the stream; clients ignore it. */
const MARK = new TextEncoder().encode(": continued by another target\n\n");

function openNext(failure: GatewayError, cut: CutStream): Promise<OpenStream> | undefined {
  const others = cut.untried().filter((entry) => isAfter(failure, entry));
  if (others.length === 0 || !cut.isPossible) return undefined;
  return cut.ask(failure, others).then(({ fold, packets, first }) => {
    cut.notes.add("continued");
    const marked = new Uint8Array(MARK.length + first.length);
    marked.set(MARK);
    marked.set(first, MARK.length);
    return { fold, packets, first: marked };
  });
}

function isAfter({ kind }: GatewayError, { onFailures }: FallbackTarget): boolean {
  const { failureClass } = ERROR_KINDS[kind];
  return failureClass !== null && CONTINUED.has(failureClass) && onFailures.has(failureClass);
}

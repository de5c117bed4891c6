import type { Trial } from "../support/read_trials.ts";

export const trials: readonly Trial[] = [{
  ...{ name: "speech", operation: "speech", path: "/v1/audio/speech" },
  members: { input: "Hello", voice: "alloy" },
  answer: undefined,
  limit: ["characters_per_day", 5, "characters"],
}];

import type { Trial } from "../support/read_trials.ts";

const TRANSCRIPTS = {
  ...{ operation: "transcriptions", members: {}, file: "file" },
  answer: { text: "Hello", usage: { type: "duration", seconds: 3 } },
  limit: ["seconds_per_day", 3, "seconds"],
} as const;

export const trials: readonly Trial[] = [
  { ...TRANSCRIPTS, name: "transcriptions", path: "/v1/audio/transcriptions" },
  { ...TRANSCRIPTS, name: "translations", path: "/v1/audio/translations" },
];

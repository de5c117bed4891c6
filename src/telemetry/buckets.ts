/** The bucket boundaries of the histograms, in seconds. */

/** Of a request and of an attempt: long reasoning can take many minutes. */
export const DURATION_BUCKETS = [
  0.05,
  0.1,
  0.25,
  0.5,
  1,
  2.5,
  5,
  10,
  20,
  30,
  60,
  120,
  300,
  600,
  1800,
];
/** Until the first token of an answer. */
export const TTFT_BUCKETS = [
  0.05,
  0.1,
  0.2,
  0.3,
  0.5,
  0.75,
  1,
  1.5,
  2,
  3,
  5,
  10,
  20,
  30,
  60,
  120,
  300,
];
/** Between two events of a stream. */
export const GAP_BUCKETS = [
  0.001,
  0.0025,
  0.005,
  0.01,
  0.02,
  0.03,
  0.05,
  0.075,
  0.1,
  0.15,
  0.25,
  0.5,
  1,
  5,
  30,
];
/** Of the gateway itself. */
export const OVERHEAD_BUCKETS = [
  0.0001,
  0.00025,
  0.0005,
  0.001,
  0.002,
  0.005,
  0.01,
  0.025,
  0.05,
  0.1,
  0.5,
  1,
];

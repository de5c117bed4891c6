/** The parts of a run that are about streams without a warm start, idle streams and mixed traffic. */

import { compare, figure, type Part, toLines, toRaw } from "./findings.ts";
import { difference, median, ratio } from "./statistics.ts";
import { measureCold, measureFirst, measureIdle, measureMixed } from "./streams.ts";
import type { ThroughputSample } from "./throughput.ts";

export const STREAM_PARTS: Readonly<Record<string, Part>> = {
  async cold(stage) {
    const samples = await measureCold(stage);
    const rate = ({ perSecond }: ThroughputSample) => perSecond;
    return {
      goals: {
        cold: compare(samples, "sluice", "loop", rate, ratio),
        coldAnthropic: compare(samples, "sluice anthropic", "loop anthropic", rate, ratio),
      },
      details: [{
        title: "Streams of 200 events with new IDs, 32 connections, access log in a file",
        lines: toLines(samples, "loop"),
      }],
      raw: toRaw(samples),
    };
  },

  async first(stage) {
    const times = await measureFirst(stage);
    const added = median(times.sluice) - median(times.loop);
    const lines = Object.entries(times).map(([name, own]) => [name, figure(own)]);
    return {
      goals: { first: { value: added, rounds: times.sluice } },
      details: [{ title: "The first stream of a new process", lines: [["", "ms"], ...lines] }],
      raw: times,
    };
  },

  async idle(stage) {
    const samples = await measureIdle(stage);
    const lines = [...samples].map(([name, rounds]) => [
      name,
      figure(rounds.map(({ cpuPerSecond }) => cpuPerSecond)),
      figure(rounds.map(({ perStream }) => perStream && perStream / 1024)),
    ]);
    const weight = (sample: { perStream: number | undefined }) => sample.perStream;
    const head = ["", "CPU ms/s", "kB each"];
    return {
      goals: { idle: compare(samples, "sluice", "loop", weight, ratio) },
      details: [{ title: "1,000 open streams without events", lines: [head, ...lines] }],
      raw: toRaw(samples),
    };
  },

  async mixed(stage) {
    const samples = await measureMixed(stage);
    const delay = (sample: { delayP99: number }) => sample.delayP99;
    const lines = [...samples].map(([name, rounds]) => [
      name,
      figure(rounds.map(({ delayP50 }) => delayP50), 2),
      figure(rounds.map(({ delayP99 }) => delayP99), 2),
      figure(rounds.map(({ events }) => events), 0),
      figure(rounds.map(({ answers }) => answers), 0),
    ]);
    const head = ["", "delay p50 ms", "p99 ms", "events", "other answers"];
    return {
      goals: { mixed: compare(samples, "sluice", "loop", delay, difference) },
      details: [{
        title: "60 callers: 70 % streams of 5 to 500 events at random times, 30 % other answers",
        lines: [head, ...lines],
      }],
      raw: toRaw(samples),
    };
  },
};

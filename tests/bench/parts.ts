/** The parts of a run with their results. */

import { measureLargeBodies } from "./bodies.ts";
import { type DecoderSample, measureDecoders, summarize } from "./decoder.ts";
import { measureDripping, measureWeight } from "./dripping.ts";
import { measureFresh, measureGrowth, measureStart } from "./lifetime.ts";
import { compare, figure, NO_PROC, type Part, toLines, toRaw } from "./findings.ts";
import type { Measured } from "./rows.ts";
import { difference, median, ratio } from "./statistics.ts";
import { STREAM_PARTS } from "./stream_parts.ts";
import {
  measureFormats,
  measureLargePackets,
  measureLatency,
  measureLimits,
  measureUnary,
  measureWorkers,
  type ThroughputSample,
} from "./throughput.ts";

export const PARTS: Readonly<Record<string, Part>> = {
  async unary(stage) {
    const samples = await measureUnary(stage);
    const rate = ({ perSecond }: ThroughputSample) => perSecond;
    const { portkey } = stage;
    return {
      goals: {
        unary: compare(samples, "sluice", "pipe", rate, ratio),
        unaryPortkey: typeof portkey === "string"
          ? { value: undefined, note: `Portkey was left out: ${portkey}` }
          : compare(samples, "sluice", "portkey", rate, ratio),
        unaryAnthropic: compare(samples, "sluice anthropic", "pipe anthropic", rate, ratio),
      },
      details: [{ title: "Unary, 32 connections", lines: toLines(samples, "pipe") }],
      raw: toRaw(samples),
    };
  },

  async latency(stage) {
    const samples = await measureLatency(stage);
    const p50 = (sample: ThroughputSample) => sample.p50;
    return {
      goals: { latency: compare(samples, "sluice", "pipe", p50, difference) },
      details: [{ title: "Unary, 1 connection", lines: toLines(samples, "pipe") }],
      raw: toRaw(samples),
    };
  },

  async limits(stage) {
    const { unary, single } = await measureLimits(stage);
    const rate = ({ perSecond }: ThroughputSample) => perSecond;
    const valkey = unary.has("valkey")
      ? compare(unary, "valkey", "no limits", rate, ratio)
      : { value: undefined, note: "no valkey-server is installed" };
    return {
      goals: { limits: compare(unary, "memory, SQLite", "no limits", rate, ratio), valkey },
      details: [
        { title: "Limits, unary, 32 connections", lines: toLines(unary, "no limits") },
        { title: "Limits, unary, 1 connection", lines: toLines(single, "no limits") },
      ],
      raw: { unary: toRaw(unary), single: toRaw(single) },
    };
  },

  async large(stage) {
    const samples = await measureLargePackets(stage);
    const rate = ({ perSecond }: ThroughputSample) => perSecond;
    return {
      goals: {
        large: compare(samples, "sluice", "loop", rate, ratio),
        largeAnthropic: compare(samples, "sluice anthropic", "loop anthropic", rate, ratio),
      },
      details: [{
        title: "Streams of 200 events in large packets, 32 connections",
        lines: toLines(samples, "loop"),
      }],
      raw: toRaw(samples),
    };
  },

  async formats(stage) {
    const samples = await measureFormats(stage);
    const cpu = ({ cpuPerRequest }: ThroughputSample) => cpuPerRequest;
    const chat = "chat from openai";
    return {
      goals: {
        messages: compare(samples, "messages from anthropic", chat, cpu, ratio),
        messagesConverted: compare(samples, "messages from openai", chat, cpu, ratio),
        gemini: compare(samples, "gemini from gemini", "messages from anthropic", cpu, ratio),
        geminiConverted: compare(samples, "gemini from openai", chat, cpu, ratio),
      },
      details: [{
        title: "Streams of 200 events by the caller's format, 32 connections",
        lines: toLines(samples, chat),
      }],
      raw: toRaw(samples),
    };
  },

  async drip(stage) {
    const samples = await measureDripping(stage);
    const cpu = (sample: { cpuPerEvent: number | undefined }) => sample.cpuPerEvent;
    const delay = (sample: { delayP99: number }) => sample.delayP99;
    const lines = [...samples].map(([name, rounds]) => [
      name,
      figure(rounds.map((round) => round.cpuPerEvent)),
      figure(rounds.map((round) => round.delayP50), 2),
      figure(rounds.map((round) => round.delayP99), 2),
      figure(rounds.map((round) => round.events), 0),
    ]);
    const head = ["", "CPU µs/event", "delay p50 ms", "p99 ms", "events"];
    return {
      goals: {
        drip: compare(samples, "sluice", "loop", cpu, ratio),
        dripAnthropic: compare(samples, "sluice anthropic", "loop anthropic", cpu, ratio),
        delay: compare(samples, "sluice", "loop", delay, difference),
        delayAnthropic: compare(samples, "sluice anthropic", "loop anthropic", delay, difference),
      },
      details: [{ title: "300 streams, an event every 50 ms each", lines: [head, ...lines] }],
      raw: toRaw(samples),
    };
  },

  async weight(stage) {
    const samples = await measureWeight(stage);
    const weight = (sample: { perStream: number | undefined }) => sample.perStream;
    const lines = [...samples].map(([name, rounds]) => [
      name,
      figure(rounds.map(({ perStream }) => perStream && perStream / 1024)),
    ]);
    return {
      goals: { weight: compare(samples, "sluice", "loop", weight, ratio) },
      details: [{ title: "Memory of 300 open streams", lines: [["", "kB each"], ...lines] }],
      raw: toRaw(samples),
    };
  },

  async body(stage) {
    const samples = await measureLargeBodies(stage);
    const lines = [...samples].map(([name, rounds]) => [
      name,
      figure(rounds.map(({ healthP50 }) => healthP50)),
      figure(rounds.map(({ healthP99 }) => healthP99)),
      Math.max(...rounds.map(({ healthMax }) => healthMax)).toFixed(1),
      String(rounds.reduce((sum, { posts }) => sum + posts, 0)),
      figure(rounds.map(({ postP50 }) => postP50), 0),
    ]);
    const head = ["", "/healthz p50 ms", "p99 ms", "max ms", "posts", "post p50 ms"];
    const waits = (name: string): Measured => {
      const rounds = (samples.get(name) ?? []).map(({ healthP99 }) => healthP99);
      return { value: median(rounds), rounds };
    };
    return {
      goals: { body: waits("sluice"), bodyAnthropic: waits("sluice anthropic") },
      details: [{ title: "10 MB bodies, one after another", lines: [head, ...lines] }],
      raw: toRaw(samples),
    };
  },

  async growth(stage, { requests }) {
    const sample = await measureGrowth(stage, requests);
    const { early, late, earlyBytes, lateBytes, restBytes } = sample;
    const known = earlyBytes !== undefined && lateBytes !== undefined;
    const megabytes = (bytes: number) => `${(bytes / 2 ** 20).toFixed(1)} MB`;
    return {
      goals: {
        growth: known
          ? {
            value: lateBytes / earlyBytes,
            note: `${megabytes(earlyBytes)} after ${early} requests, ` +
              `${megabytes(lateBytes)} after ${late}`,
          }
          : { value: undefined, note: NO_PROC },
        rest: { value: restBytes && restBytes / 2 ** 20 },
      },
      details: [],
      raw: sample,
    };
  },

  async start(stage) {
    const times = await measureStart(stage);
    const lines = Object.entries(times).map(([name, own]) => [name, figure(own, 0)]);
    return {
      goals: { start: { value: median(times.sluice), rounds: times.sluice } },
      details: [{ title: "Start to first 200", lines: [["", "ms"], ...lines] }],
      raw: times,
    };
  },

  async fresh(stage) {
    const samples = await measureFresh(stage);
    const [first, later] = ["first 2 s", "after 12 s"] as const;
    const lines = [...samples].map(([name, rounds]) => [
      name,
      figure(rounds.map(({ perSecond }) => perSecond), 0),
      figure(rounds.map(({ p50 }) => p50), 0),
      figure(rounds.map(({ p99 }) => p99), 0),
    ]);
    return {
      goals: {
        fresh: compare(samples, first, later, ({ perSecond }) => perSecond, ratio),
        freshDelay: compare(samples, first, later, ({ p99 }) => p99, ratio),
      },
      details: [{
        title: "New processes, unary, 32 connections",
        lines: [["", "requests/s", "p50 µs", "p99 µs"], ...lines],
      }],
      raw: toRaw(samples),
    };
  },

  async workers(stage) {
    const { samples, memory } = await measureWorkers(stage);
    const inMegabytes = (bytes: number | undefined) => figure([bytes && bytes / 2 ** 20], 0);
    const lines = memory.map(({ name, readyMs, idle, loaded }) => [
      ...[name, readyMs.toFixed(0), inMegabytes(idle), inMegabytes(loaded)],
    ]);
    return {
      goals: {},
      details: [
        {
          title: "Workers, unary, 32 connections (load and vendor run on the same cores)",
          lines: toLines(samples, "1, main thread"),
        },
        {
          title: "Their start and memory",
          lines: [["", "start ms", "idle MB", "after load MB"], ...lines],
        },
      ],
      raw: { throughput: toRaw(samples), memory },
    };
  },

  ...STREAM_PARTS,

  decoder() {
    const samples: DecoderSample[] = measureDecoders();
    const title =
      "CPU µs per event in the decoder only (target: 3) and in the fold: median and worst stream";
    return { goals: {}, details: [{ title, lines: summarize(samples) }], raw: samples };
  },
};

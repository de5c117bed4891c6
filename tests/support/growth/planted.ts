/** Work with known growth, which tests the measurement. */

import type { Case } from "./cases.ts";
import { many } from "./schemas.ts";

const texts = (size: number): string[] => many(size, (at) => `text ${at}`);

/** Work with linear or nearly linear growth. */
const LINEAR: readonly Case[] = [
  { name: "linear: a list is read", size: 20_000, make: toReading },
  { name: "linear: a list is sorted", size: 20_000, make: toSorting },
  { name: "linear: members are put into an object", size: 8000, make: toObject },
  { name: "linear: texts are joined", size: 20_000, make: toJoining },
];

/** Work that grows too fast. */
const FAST: readonly Case[] = [
  { name: "fast: each entry is looked for in a list", size: 3000, make: toLookingUp },
  { name: "fast: an object is copied for each member", size: 600, make: toCopying },
  { name: "fast: a text is searched at each piece", size: 2400, make: toSearching },
  { name: "fast: a regular expression goes back", size: 5000, make: toGoingBack },
  { name: "fast: each level is copied twice", size: 3780, make: toDoubling },
];

/** All of them. */
export const PLANTED: readonly Case[] = [...LINEAR, ...FAST];

function toReading(size: number): () => void {
  const list = texts(size);
  return () => void list.map((text) => ({ text })).filter(({ text }) => text !== "");
}

function toSorting(size: number): () => void {
  const list = texts(size).toReversed();
  return () => void list.toSorted();
}

function toObject(size: number): () => void {
  const list = texts(size);
  return () => void Object.fromEntries(list.map((text) => [text, text]));
}

function toJoining(size: number): () => void {
  const list = texts(size);
  return () => {
    let all = "";
    for (const text of list) all += text;
    all.indexOf("\n");
  };
}

function toLookingUp(size: number): () => void {
  const list = texts(size).map((text) => ({ text }));
  return () => {
    for (const { text } of list) list.findLastIndex((entry) => entry.text === text);
  };
}

function toCopying(size: number): () => void {
  const list = texts(size);
  return () => {
    let all = {};
    for (const text of list) all = { ...all, [text]: text };
  };
}

function toSearching(size: number): () => void {
  const list = texts(size);
  return () => {
    let held = "";
    for (const text of list) {
      held += ` ${text}`;
      for (let at = 0; at < held.length; at++) if (held.charCodeAt(at) === 0) return;
    }
  };
}

function toGoingBack(size: number): () => void {
  const text = " ".repeat(size);
  return () => void /\s+\S/.exec(text);
}

/** Stops where the test would take too long. */
function toDoubling(size: number): () => void {
  const levels = Math.min(size / 180, 27);
  const count = (level: number): number => level < 1 ? 1 : count(level - 1) + count(level - 1);
  return () => void count(levels);
}

/**
 * The original text of numbers that JavaScript would write differently, such as `1.0` or 20 digits.
 *
 * The value of a JSON number is always a JavaScript number. Its text is stored in a hidden member
 * of the object or list that contains it, so that an unchanged value keeps its notation. Spreading
 * an object preserves the hidden member.
 */

import { isObject, type JsonObject, setMember } from "./object.ts";

/** An object or a list in a JSON document. */
export type JsonContainer = JsonObject | unknown[];

/** The texts for an object or a list, by name or index. */
type Texts = Map<string, string>;

const TEXTS = Symbol("texts of numbers");

interface WithTexts {
  [TEXTS]?: Texts;
}

/** A runtime function that is missing from the runtime's types. */
const { rawJSON } = JSON as unknown as { rawJSON(text: string): object };

/**
 * A number within a list or an object that JavaScript may write differently: -0, a fraction that
 * ends in 0, an exponent, 16 or more characters, or less than a millionth.
 */
const MAY_CHANGE =
  /[:,[]\s*(?:-0[\s,\]}]|-?\d+(?:\.\d*0[\s,\]}]|(?:\.\d+)?[eE][+-]?\d)|-?\d[\d.]{15}|-?0\.0{6})/g;

/**
 * The position before the first number that JavaScript may write differently, or -1. Only numbers
 * within lists and objects are found. This is much faster than `JSON.parse`.
 */
export function findChangingNumber(text: string, start = 0): number {
  MAY_CHANGE.lastIndex = start;
  return MAY_CHANGE.exec(text)?.index ?? -1;
}

/** Whether a value is part of a document, or a copy of such a part, with texts of numbers. */
export function hasTexts(value: unknown): value is JsonContainer {
  return typeof value === "object" && value !== null && (value as WithTexts)[TEXTS] !== undefined;
}

/**
 * Stores the text of a number if JavaScript would write it differently. Returns whether it was
 * stored.
 */
export function keepText(
  holder: JsonContainer,
  name: string | number,
  value: number,
  text: string,
): boolean {
  if (String(value) === text) return false;
  markWithTexts(holder).set(String(name), text);
  return true;
}

/** Marks an object or list that contains texts at any depth, so that writers look for them. */
export function markWithTexts(holder: JsonContainer): Texts {
  Object.setPrototypeOf(holder, Array.isArray(holder) ? LIST : OBJECT);
  return (holder as WithTexts)[TEXTS] ??= new Map();
}

/** The stored text of a number; undefined for all other values. */
export function textOf(holder: JsonContainer, name: string | number): string | undefined {
  const text = (holder as WithTexts)[TEXTS]?.get(String(name));
  if (text === undefined) return undefined;
  return Object.is(Number(text), (holder as JsonObject)[name]) ? text : undefined;
}

/** Attaches the stored text to a number that has moved to another object. */
export function moveText(
  from: JsonContainer,
  name: string,
  to: JsonContainer,
  newName = name,
): void {
  const text = textOf(from, name);
  if (text !== undefined) markWithTexts(to).set(newName, text);
}

/**
 * Attaches the texts of the numbers in an object or list to a copy that was made member by member.
 */
export function copyTexts(source: JsonContainer, copy: JsonContainer): void {
  const texts = (source as WithTexts)[TEXTS];
  if (texts === undefined) return;
  const own = markWithTexts(copy);
  for (const [name, text] of texts) own.set(name, text);
}

/**
 * Attaches the texts of all numbers to a copy of a document that was made member by member.
 *
 * @returns the copy
 */
export function withTextsOf<Copy>(source: unknown, copy: Copy): Copy {
  if (hasTexts(source)) carry(source, copy);
  return copy;
}

function carry(source: unknown, copy: unknown): void {
  if (source === copy || !isContainer(source) || !isContainer(copy)) return;
  copyTexts(source, copy);
  if (Array.isArray(source)) source.forEach((entry, at) => carry(entry, (copy as unknown[])[at]));
  else for (const name of Object.keys(source)) carry(source[name], (copy as JsonObject)[name]);
}

function isContainer(value: unknown): value is JsonContainer {
  return Array.isArray(value) || isObject(value);
}

/** Like `JSON.stringify`, but also finds the texts of numbers in copies. */
export function writeJson(value: unknown): string {
  return (value as WithTexts | null)?.[TEXTS] === undefined
    ? JSON.stringify(value)
    : JSON.stringify(value, withText);
}

function withText(this: JsonContainer, name: string, value: unknown): unknown {
  if (typeof value !== "number") return value;
  const text = textOf(this, name);
  return text === undefined ? value : rawJSON(text);
}

/** The object or list for `JSON.stringify`, which calls this method. */
function toJSON(this: JsonContainer): JsonContainer {
  const written = Array.isArray(this) ? entriesOf(this) : { ...this };
  for (const name of (this as WithTexts)[TEXTS]?.keys() ?? []) {
    const text = textOf(this, name);
    if (text !== undefined) setMember(written as JsonObject, name, rawJSON(text));
  }
  return written;
}

/** A copy of a list. Iterating over lists with another prototype is slow. */
function entriesOf(list: readonly unknown[]): unknown[] {
  const entries: unknown[] = [];
  for (let at = 0; at < list.length; at++) entries.push(list[at]);
  return entries;
}

/** The prototypes of objects and lists that have texts. */
const OBJECT: object = Object.create(Object.prototype, { toJSON: { value: toJSON } });
const LIST: object = Object.create(Array.prototype, { toJSON: { value: toJSON } });

/**
 * The maximum number of numbers to look up in the parsed value. Most texts with such numbers have
 * one or two: many clients write settings such as `1.0`.
 */
const MAX_FOUND = 4;

/** The maximum length of a name to look up, with its quotes and some whitespace. */
const MAX_NAME_LENGTH = 48;

const NAME = /"([^"\\]+)"\s*$/;
const NUMBER = /:\s*(-?\d[\d.eE+-]*)[\s,}]/y;

/** Searches a text, in pieces, for numbers that JavaScript would write differently. */
export class NumberSearch {
  /** The texts of numbers, by member name. */
  readonly #found = new Map<string, string>();
  #isTooMuch = false;

  /** Searches a piece of the text. Returns whether the text must be parsed number by number. */
  push(piece: string): boolean {
    for (let at = findChangingNumber(piece); at !== -1; at = findChangingNumber(piece, at + 1)) {
      const name = NAME.exec(piece.slice(Math.max(0, at - MAX_NAME_LENGTH), at))?.[1];
      NUMBER.lastIndex = at;
      const text = NUMBER.exec(piece)?.[1];
      if (name === undefined || text === undefined) return this.#isTooMuch = true;
      this.#found.set(name, text);
      if (this.#found.size > MAX_FOUND) return this.#isTooMuch = true;
    }
    return false;
  }

  /**
   * Attaches the texts of its numbers to a value from `JSON.parse`.
   *
   * @returns whether all were found
   */
  keepIn(text: string, value: unknown): boolean {
    if (this.#isTooMuch) return false;
    if (this.#found.size === 0) return true;
    if (!isObject(value)) return false;
    for (const [name, number] of this.#found) {
      const holder = holderOf(value, name, Number(number));
      if (holder === undefined || occursTwice(`"${name}"`, text)) return false;
      if (keepText(holder, name, Number(number), number)) markWithTexts(value);
    }
    return true;
  }
}

/** The object with a number: the outermost one, or a member of it such as `generationConfig`. */
function holderOf(root: JsonObject, name: string, number: number): JsonObject | undefined {
  for (const holder of [root, ...Object.values(root)]) {
    if (isObject(holder) && Object.hasOwn(holder, name) && Object.is(holder[name], number)) {
      return holder;
    }
  }
  return undefined;
}

function occursTwice(quoted: string, text: string): boolean {
  return text.includes(quoted, text.indexOf(quoted) + 1);
}

/** Texts that are expensive for their size. */

/** A generator of texts. */
export interface Shape {
  readonly name: string;
  /** A text of about this many bytes. */
  readonly make: (size: number) => string;
}

export const SHAPES: readonly Shape[] = [
  repeated("lists in lists", "[", "]"),
  repeated("open lists", "["),
  repeated("objects in objects", '{"a":', "}"),
  listed("lists", "[],"),
  listed("empty objects", "{},"),
  listed("objects", '{"a":1},'),
  listed("numbers", "1,"),
  listed("small strings", '"",'),
  {
    name: "lists of numbers in open lists",
    make: (size) => `${"1,".repeat(1000)}`.padStart(2001, "[").repeat(size / 2001),
  },
  {
    name: "members",
    make: (size) =>
      `{${Array.from({ length: size / 12 }, (_, at) => `"${1_000_000 + at}":0`).join(",")}}`,
  },
  { name: "a string of escapes", make: (size) => `{"a":"${"\\n".repeat(size / 2)}"}` },
  { name: "a string of unicode escapes", make: (size) => `{"a":"${"\\u6f22".repeat(size / 6)}"}` },
  { name: "a plain string", make: (size) => `{"a":"${"x".repeat(size)}"}` },
  { name: "a string of emoji", make: (size) => `{"a":"${"😀".repeat(size / 4)}"}` },
  { name: "a long number", make: (size) => "1".repeat(size) },
  { name: "emoji", make: (size) => "😀".repeat(size / 4) },
  { name: "umlauts", make: (size) => "ü".repeat(size / 2) },
  { name: "words", make: (size) => "x ".repeat(size / 2) },
  { name: "spaces", make: (size) => `${" ".repeat(size)}x` },
  { name: "line breaks", make: (size) => "\n".repeat(size) },
  { name: "letters", make: (size) => "x".repeat(size) },
  { name: "quotes", make: (size) => '"'.repeat(size) },
  { name: "percent escapes", make: (size) => "%41".repeat(size / 3) },
  { name: "think tags", make: (size) => "<think>".repeat(size / 7) },
  { name: "base64 with a fault", make: (size) => `${"QUJD".repeat(size / 4)}=-` },
];

/** A text in front of everything, and one that closes it, as often. */
function repeated(name: string, opening: string, closing = ""): Shape {
  const make = (size: number) => {
    const count = size / (opening.length + closing.length);
    return opening.repeat(count) + (closing === "" ? "" : "0" + closing.repeat(count));
  };
  return { name, make };
}

/** A list of the same entry. */
function listed(name: string, entry: string): Shape {
  return { name, make: (size) => `[${entry.repeat(size / entry.length)}0]` };
}

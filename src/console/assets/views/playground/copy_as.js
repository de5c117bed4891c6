/** Writes a request as a command or code that sends the same body. */

import { CALLS } from "./calls.js";

/** The formats for copying a request. */
export const COPY_FORMS = [
  { id: "curl", title: "curl", write: toCurl },
  { id: "python", title: "Python", write: toPython },
  { id: "typescript", title: "TypeScript", write: toTypeScript },
];

/**
 * @typedef {{ api?: string, baseUrl: string, body: object, headers: Record<string, string>,
 *   file?: string }} Copied `baseUrl` ends in `/v1`; `file` is a name
 */

/** The delimiter of the body in a command. JSON contains no such line. */
const BODY_END = "SLUICE_BODY";

/**
 * A command for a shell. The key is read from the environment. The body is read from standard
 * input, because arguments are limited to 128 KiB on Linux.
 */
export function toCurl({ api = "chat", baseUrl, body, headers, file = "" }) {
  const { path, takesFile } = CALLS.get(api);
  const lines = [
    `curl ${quoted(baseUrl + path)}`,
    ...(body.stream === true ? ["--no-buffer"] : []),
    '-H "Authorization: Bearer $SLUICE_API_KEY"',
    ...(takesFile ? [] : ["-H 'Content-Type: application/json'"]),
    ...Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    ...(api === "speech" ? ["--output speech.audio"] : []),
  ];
  if (takesFile) {
    const fields = Object.entries(body).map(([name, value]) =>
      `--form-string ${quoted(`${name}=${value}`)}`
    );
    // A name in double quotes may contain a comma or a semicolon.
    const name = `"${file.replaceAll(/["\\]/g, "\\$&")}"`;
    return `${[...lines, ...fields, `-F ${quoted(`file=@${name}`)}`].join(" \\\n  ")}\n`;
  }
  lines.push(`--data-binary @- <<'${BODY_END}'`);
  return `${lines.join(" \\\n  ")}\n${JSON.stringify(body, null, 2)}\n${BODY_END}\n`;
}

/** A text in single quotes, in which a shell expands nothing. */
function quoted(text) {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function split(body, known) {
  const entries = Object.entries(body);
  return {
    known: entries.filter(([name]) => known.has(name)),
    others: entries.filter(([name]) => !known.has(name)),
  };
}

/** Code for the official Python client. */
export function toPython({ api = "chat", baseUrl, body, headers, file = "" }) {
  const { call, known: names, path, python: reading, takesFile } = CALLS.get(api);
  const { known, others } = split(body, names);
  const members = call === undefined
    ? [`    ${python(path)},`, "    cast_to=httpx.Response,", `    body=${python(body, 1)},`]
    : known.map(([member, value]) => `    ${member}=${python(value, 1)},`);
  if (takesFile) members.unshift(`    file=open(${python(file)}, "rb"),`);
  if (call !== undefined && others.length > 0) {
    members.push(`    extra_body=${python(Object.fromEntries(others), 1)},`);
  }
  if (Object.keys(headers).length > 0) members.push(`    extra_headers=${python(headers, 1)},`);
  return [
    ...["import os", ...reading.imports ?? []].sort(),
    "",
    "from openai import OpenAI",
    "",
    `client = OpenAI(base_url=${python(baseUrl)}, api_key=os.environ["SLUICE_API_KEY"])`,
    `answer = client.${call ?? "post"}(`,
    ...members,
    ")",
    ...(body.stream === true ? reading.stream : reading.whole),
    "",
  ].join("\n");
}

/** A value as a Python literal. */
function python(value, depth = 0) {
  if (value === null) return "None";
  if (value === true) return "True";
  if (value === false) return "False";
  if (Array.isArray(value)) {
    return container("[", "]", value.map((entry) => python(entry, depth + 1)), depth, 4);
  }
  if (typeof value === "object") {
    const entries = Object.entries(value).map(([name, member]) =>
      `${JSON.stringify(name)}: ${python(member, depth + 1)}`
    );
    return container("{", "}", entries, depth, 4);
  }
  return JSON.stringify(value);
}

/** Code for the official TypeScript client. */
export function toTypeScript({ api = "chat", baseUrl, body, headers, file = "" }) {
  const { call, known: names, path, script: reading, takesFile } = CALLS.get(api);
  const { known, others } = split(body, names);
  const members = known.map(([member, value]) => `  ${member}: ${script(value, 1)},`);
  if (takesFile) members.unshift(`  file: createReadStream(${script(file)}),`);
  if (call === undefined) members.push(`  body: ${script(body, 1)},`);
  else if (others.length > 0) {
    // The client's types lack these members.
    members.push(`  ...(${script(Object.fromEntries(others), 1)} as object),`);
  }
  const options = Object.keys(headers).length === 0 ? "" : `, { headers: ${script(headers)} }`;
  const start = call === undefined ? `post(${script(path)}, {` : `${call}({`;
  return [
    ...reading.imports ?? [],
    'import OpenAI from "openai";',
    "",
    "const client = new OpenAI({",
    `  baseURL: ${script(baseUrl)},`,
    "  apiKey: process.env.SLUICE_API_KEY,",
    "});",
    `const answer = await client.${start}`,
    ...members,
    `}${options});`,
    ...(body.stream === true ? reading.stream : reading.whole),
    "",
  ].join("\n");
}

const IDENTIFIER = /^[A-Za-z_$][\w$]*$/;

/** A value as an expression of TypeScript. */
function script(value, depth = 0) {
  if (Array.isArray(value)) {
    return container("[", "]", value.map((entry) => script(entry, depth + 1)), depth, 2);
  }
  if (typeof value === "object" && value !== null) {
    const entries = Object.entries(value).map(([name, member]) =>
      `${toName(name)}: ${script(member, depth + 1)}`
    );
    return container("{", "}", entries, depth, 2);
  }
  return JSON.stringify(value);
}

/** A member named `__proto__` would set the prototype. */
function toName(name) {
  if (name === "__proto__") return '["__proto__"]';
  return IDENTIFIER.test(name) ? name : JSON.stringify(name);
}

/** The longest list or object on one line, in characters. */
const MAX_LINE_CHARS = 60;

function container(open, close, entries, depth, indent) {
  if (entries.length === 0) return open + close;
  const line = entries.join(", ");
  if (line.length <= MAX_LINE_CHARS && !line.includes("\n")) {
    return open === "{" && indent === 2 ? `{ ${line} }` : open + line + close;
  }
  const inner = " ".repeat(indent * (depth + 1));
  const lines = entries.map((entry) => `${inner}${entry},\n`);
  return `${open}\n${lines.join("")}${" ".repeat(indent * depth)}${close}`;
}

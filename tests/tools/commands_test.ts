/** Runs the commands in this process and checks their output and exit codes. */

import { assertEquals, assertMatch } from "@std/assert";
import { VERSION } from "../../src/core/version.ts";
import { runCommand } from "../support/command.ts";
import { readRoot } from "../support/read_root.ts";

const CONFIG = readRoot("config.yaml");

/** The repository contains the schema; elsewhere `sluice schema` prints it. */
const INITIAL_CONFIG = CONFIG.replace(
  "$schema=docs/schemas/config.schema.json\n",
  "$schema=./config.schema.json\n" +
    "# For validation and completion in editors: sluice schema > config.schema.json\n",
);

interface Run {
  readonly args: readonly string[];
  readonly env?: Record<string, string>;
  readonly files?: Record<string, string>;
  readonly stdin?: string;
  readonly code: number;
  readonly stdout?: string | RegExp;
  readonly stderr?: string | RegExp;
}

const INVALID = `
server: { prot: 1, port: seventy }
providers:
  a: { kind: opnai, models: [m] }
  b: { kind: mock, models: [] }
aliases: { fast: gtp }
pins: { m: nobody }
`;

const REQUEST = { model: "smart", messages: [{ role: "user", content: "Hello" }] };

/** Commands and their expected results. */
const RUNS: Readonly<Record<string, Run>> = {
  "--version": { args: ["--version"], code: 0, stdout: `sluice ${VERSION}\n` },
  "version": { args: ["version"], code: 0, stdout: `sluice ${VERSION}\n` },
  "-v": { args: ["-v"], code: 0, stdout: `sluice ${VERSION}\n` },
  "help": { args: ["help"], code: 0, stdout: /serve .*check .*--config/s },
  "--help": {
    args: ["check", "--help"],
    code: 0,
    stdout: /^Usage: sluice check .*--config.*--host.*--port.*--live.*Exit codes/s,
  },
  "schema prints the file that config.yaml points to": {
    args: ["schema"],
    code: 0,
    stdout: readRoot("docs/schemas/config.schema.json"),
  },
  "init prints config.yaml with another path of its schema": {
    args: ["init"],
    code: 0,
    stdout: INITIAL_CONFIG,
  },
  "providers prints the matrix": {
    args: ["providers"],
    code: 0,
    stdout: /^ +openai +azure +anthropic .*^stop +yes +yes +renamed .* mock\n/ms,
  },
  "models prints facts about models": {
    args: ["models"],
    code: 0,
    stdout: /^VENDOR +MODEL .*^openai +gpt-5\.1 +\d+ /ms,
  },
  "models --stale prints old facts": {
    args: ["models", "--stale", "1d"],
    code: 0,
    stdout: /^VENDOR +MODEL .*^openai +gpt-5\.1 +\d+ /ms,
  },
  "models --stale prints no facts that are younger than the given age": {
    args: ["models", "--stale", "99999d"],
    code: 0,
    stdout: "No facts found.\n",
  },
  "check uses the file that SLUICE_CONFIG names": {
    args: ["check"],
    files: { "other.yaml": "providers: { x: { kind: mock, models: [m] } }" },
    env: { SLUICE_CONFIG: "other.yaml" },
    code: 0,
    stdout: /^other\.yaml is valid\n.*m +x +m\n\n {2}Warning: /s,
  },
  "check prints every target of a chain": {
    args: ["check", "--config", "chain.yaml"],
    files: {
      "chain.yaml": "{ providers: { x: { kind: mock, models: [a, b] } }, aliases: { c: [b, a] } }",
    },
    code: 0,
    stdout: new RegExp(
      [
        "^chain\\.yaml is valid",
        "Facts about models: built in, of \\d{4}-\\d\\d-\\d\\d",
        "",
        "  MODEL  PROVIDER  UPSTREAM",
        "  a      x         a",
        "  b      x         b",
        "  c      x         b",
        "         x         a",
        "",
        "  Warning: Only the mock provider is enabled: it returns simulated responses",
        "  Warning: No service key is set: the gateway generates and prints a new one at every start",
        "$",
      ].join("\n"),
    ),
  },
  "check prints an alias with a * after the others, the longest first": {
    args: ["check", "--config", "stars.yaml"],
    files: {
      "stars.yaml":
        '{ providers: { x: { kind: mock, models: [a] } }, aliases: { "c-*": a, "c-d*": a, e: a } }',
    },
    code: 0,
    stdout: /e +x +a\n +c-d\* +x +a\n +c-\* +x +a\n/,
  },
  "check reports all errors at once": {
    args: ["check", "--config", "invalid.yaml"],
    files: { "invalid.yaml": INVALID },
    code: 1,
    stderr:
      /^sluice: Cannot load invalid\.yaml:\n(?=.*server\.prot: .*'port')(?=.*server\.port: )(?=.*providers\.a\.kind: .*'openai')(?=.*providers\.b\.models: )(?=.*aliases\.fast: )(?=.*pins\.m: )(?: {2}[^\n]* \(line \d+, column \d+\)\n)+$/s,
  },
  "explain prints the request for each target, without keys": {
    args: ["explain", "request.json"],
    files: {
      "config.yaml": `providers:
  openai: { kind: openai, api_key: "\${OPENAI_API_KEY}", models: [gpt-5.4] }
  mock: { kind: mock, models: [mock-echo] }
aliases: { smart: [gpt-5.4, mock-echo] }
`,
      "request.json": JSON.stringify(REQUEST),
    },
    env: { OPENAI_API_KEY: "sk-of-env" },
    code: 0,
    stdout:
      /^(?!.*sk-of-env).*"url": "https:\/\/api\.openai\.com\/v1\/chat\/completions".*"authorization": "Bearer \[redacted\]"(?!.*"provider": "mock")/s,
  },
  "explain reports an invalid request": {
    args: ["explain", "request.json"],
    files: { "request.json": JSON.stringify({ ...REQUEST, temperature: 3 }) },
    code: 1,
    stderr: /^sluice: Invalid value for 'temperature': .*\n$/,
  },
  "explain reads a request of the Messages API": {
    args: ["explain", "request.json", "--format", "messages"],
    files: {
      "request.json": JSON.stringify({ ...REQUEST, model: "mock-echo", max_tokens: 5, top_k: 3 }),
    },
    code: 0,
    stdout: /"model": "mock-echo",.*"provider": "mock".*"parameter": "top_k"/s,
  },
  "explain reads a request of the Responses API": {
    args: ["explain", "request.json", "--format", "responses"],
    files: { "request.json": JSON.stringify({ model: "mock-echo", input: "Hi" }) },
    code: 0,
    stdout: /"provider": "mock".*"role": "user"/s,
  },
  "explain reads a request of Gemini's API, with the model as a member": {
    args: ["explain", "request.json", "--format", "generate_content"],
    files: {
      "request.json": JSON.stringify({
        model: "models/mock-echo",
        contents: [{ role: "user", parts: [{ text: "Hi" }] }],
      }),
    },
    code: 0,
    stdout: /"model": "mock-echo",.*"provider": "mock".*"role": "user"/s,
  },
  "explain reads a request of Ollama's API": {
    args: ["explain", "request.json", "--format", "ollama_generate"],
    files: { "request.json": JSON.stringify({ model: "mock-echo", prompt: "Hi" }) },
    code: 0,
    stdout: /"model": "mock-echo",.*"provider": "mock".*"role": "user"/s,
  },
  "explain says that a request of Gemini's API needs the model as a member": {
    args: ["explain", "-", "--format", "stream_generate_content"],
    stdin: JSON.stringify({ contents: [] }),
    code: 1,
    stderr: /^sluice: Invalid value for 'model': is required/,
  },
  "explain rejects standard input that is not JSON": {
    args: ["explain", "-"],
    stdin: "{",
    code: 1,
    stderr: "sluice: Cannot read standard input: invalid JSON\n",
  },
  "explain rejects a file that is not JSON": {
    args: ["explain", "request.json"],
    files: { "request.json": "{" },
    code: 1,
    stderr: "sluice: Cannot read request.json: invalid JSON\n",
  },
  "explain reports a missing file": {
    args: ["explain", "request.json"],
    code: 1,
    stderr: "sluice: Cannot read request.json: the file does not exist\n",
  },
  "health reports that no gateway is running": {
    args: ["health", "--host", "0.0.0.0", "--port", "1"],
    code: 1,
    stderr:
      "sluice: Cannot connect to http://127.0.0.1:1/healthz: connection refused: no process listens there\n",
  },
  "a configuration file that is a directory": {
    args: ["check", "--config", "."],
    code: 1,
    stderr: "sluice: Cannot read .: Is a directory\n",
  },
  "an unknown option": {
    args: ["--prot", "80"],
    code: 2,
    stderr: "sluice: Unknown option '--prot'; did you mean '--port'?\n",
  },
  "an invalid port": {
    args: ["check", "--port", "99999"],
    code: 2,
    stderr: "sluice: --port must be a number from 0 to 65535, not '99999'\n",
  },
};

for (const [what, { args, code, stdout = "", stderr = "", ...around }] of Object.entries(RUNS)) {
  Deno.test(`sluice: ${what} (exit code ${code})`, async () => {
    const finished = await runCommand(args, around);
    expectText(finished.stderr, stderr);
    expectText(finished.stdout, stdout);
    assertEquals(finished.code, code);
  });
}

function expectText(text: string, expected: string | RegExp): void {
  if (typeof expected === "string") assertEquals(text, expected);
  else assertMatch(text, expected);
}

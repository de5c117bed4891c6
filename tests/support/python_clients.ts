/** Clients in Python, where an interpreter with their packages is installed. */

import { assert } from "@std/assert";
import { fileURLToPath } from "node:url";
import { SERVICE_KEY } from "./gateway.ts";
import { callsOf, DESCRIPTION, PARAMETERS, QUESTION, TOOL } from "./loops/loop.ts";

/** A client, and a way to use it. */
export interface PythonClient {
  readonly name: string;
  /** The argument of the script: the package and the way. */
  readonly argument: string;
  readonly isInstalled: boolean;
}

/** One conversation: where it goes, and with which model. */
export interface Conversation {
  readonly base_url: string;
  readonly model: string;
}

/** The interpreter; `.ci/run` names one that has the packages. */
export const PYTHON = Deno.env.get("SLUICE_TEST_PYTHON") || "python3";

const SCRIPT = fileURLToPath(new URL("python_clients.py", import.meta.url));

/** Whether the interpreter has a module. It is not imported, which may take seconds. */
export function hasModule(name: string): boolean {
  try {
    const find = `importlib.util.find_spec("${name}")`;
    const args = ["-c", `import importlib.util, sys; sys.exit(${find} is None)`];
    return new Deno.Command(PYTHON, { args, stdout: "null", stderr: "null" }).outputSync().success;
  } catch {
    return false;
  }
}

/** Each package, with and without streams. */
function clientsOf(
  ...packages: readonly (readonly [name: string, argument: string, module: string])[]
): readonly PythonClient[] {
  return packages.flatMap(([name, argument, module]) => {
    const isInstalled = hasModule(module);
    return [
      { name, argument: `${argument}/create`, isInstalled },
      { name: `${name} stream`, argument: `${argument}/stream`, isInstalled },
    ];
  });
}

/** Clients of chat completions. */
export const PYTHON_CLIENTS: readonly PythonClient[] = clientsOf(
  ["Python openai", "openai", "openai"],
  ["Python LangChain", "langchain", "langchain_openai"],
  ["pydantic-ai", "pydantic_ai", "pydantic_ai.models.openai"],
);

/** Clients of Gemini's API. */
export const PYTHON_GEMINI_CLIENTS: readonly PythonClient[] = clientsOf(
  ["Python google-genai", "genai", "google.genai"],
  ["Python LangChain for Google", "langchain_google", "langchain_google_genai"],
);

/** Has the conversations one after the other; gives the text of each second turn, or its error. */
export async function runPython(
  { argument }: PythonClient,
  conversations: readonly Conversation[],
): Promise<unknown> {
  const celsius = Object.fromEntries(callsOf("", "").map((call) => [call.city, call.celsius]));
  const child = new Deno.Command(PYTHON, {
    args: [SCRIPT, argument],
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const writer = child.stdin.getWriter();
  await writer.write(new TextEncoder().encode(JSON.stringify({
    key: SERVICE_KEY,
    question: QUESTION,
    tool: TOOL,
    description: DESCRIPTION,
    parameters: PARAMETERS,
    celsius,
    conversations,
  })));
  await writer.close();
  const { success, stdout, stderr } = await child.output();
  assert(success, new TextDecoder().decode(stderr));
  return JSON.parse(new TextDecoder().decode(stdout));
}

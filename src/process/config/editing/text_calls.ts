/** The calls of the thread for texts of config.yaml. */

import { namesOf } from "../../../config/disabled_providers.ts";
import { examineText } from "../../../config/editing/examine_text.ts";
import { maskText, restoreText } from "../../../config/editing/masked_text.ts";
import { adapters } from "../../../providers/registry.ts";
import type { TextCall, TextResults } from "./text_thread.ts";

/** Runs a call. */
export async function runCall(call: TextCall): Promise<TextResults[TextCall["type"]]> {
  if (call.type === "start") return undefined;
  const { key } = call;
  const mask = (text: string) => maskText(text, { key, credentials });
  switch (call.type) {
    case "mask":
      return call.texts.map((text) => mask(text).text);
    case "check": {
      const { text, snapshot } = call;
      return await examineText({
        ...{ text, snapshot, adapters },
        maskedText: mask(snapshot.text).text,
      });
    }
    case "restore": {
      const secrets = new Map(call.texts.flatMap((text) => [...mask(text).secrets]));
      const { text, unknown } = restoreText(call.text, secrets);
      const lineAt = (index: number) => call.text.slice(0, index).split("\n").length;
      return { text, unknownLines: unknown.map(lineAt) };
    }
  }
}

const credentials: ReadonlySet<string> = new Set([
  "api_key",
  ...[...adapters.values()].flatMap(({ credentialSets = [] }) => credentialSets.flatMap(namesOf)),
]);

/** The calls of the thread that processes texts of config.yaml. */

import { configSchema } from "../../../config/config.ts";
import { examineText } from "../../../config/editing/examine_text.ts";
import { applyEdits } from "../../../config/editing/form_edits.ts";
import { FormError, listFormObjects } from "../../../config/editing/form_objects.ts";
import { maskText, restoreText } from "../../../config/editing/masked_text.ts";
import { SecretMembers } from "../../../config/editing/secret_members.ts";
import { adapters } from "../../../providers/registry.ts";
import type { Snapshot } from "../../../config/snapshot.ts";
import type { ConfigCheck, FormEdit, FormText } from "../../../config/editing/changes.ts";

/** A call of the thread. `key` is the secret from which tokens are derived. */
export type TextCall =
  | { readonly type: "start" }
  | {
    readonly type: "mask";
    readonly texts: readonly string[];
    readonly key: Uint8Array;
    /** Whether comments are shown. */
    readonly comments: boolean;
  }
  | {
    readonly type: "check";
    readonly text: string;
    /** The configuration in use. */
    readonly snapshot: Snapshot;
    readonly key: Uint8Array;
  }
  | { readonly type: "form"; readonly text: string; readonly edits: readonly FormEdit[] }
  | {
    readonly type: "restore";
    readonly text: string;
    /** Texts with their secrets. */
    readonly texts: readonly string[];
    readonly key: Uint8Array;
  };

/** The results of each {@linkcode TextCall}. */
export interface TextResults {
  readonly start: undefined;
  readonly mask: readonly string[];
  readonly check: ConfigCheck;
  readonly form: FormText | { readonly refusal: string };
  /** The lines of unknown tokens, from 1. */
  readonly restore: { readonly text: string; readonly unknownLines: readonly number[] };
}

/** Runs a call. */
export async function runCall(call: TextCall): Promise<TextResults[TextCall["type"]]> {
  if (call.type === "start") return undefined;
  if (call.type === "form") return editByForm(call);
  const { key } = call;
  const mask = (text: string, comments = true) => maskText(text, { key, members, comments });
  switch (call.type) {
    case "mask":
      return call.texts.map((text) => mask(text, call.comments).text);
    case "check": {
      const { text, snapshot } = call;
      return await examineText({
        ...{ text, snapshot, adapters },
        maskedText: mask(snapshot.text).text,
      });
    }
    case "restore": {
      // The admin may have seen the texts with or without their comments.
      const secrets = new Map(
        call.texts.flatMap((text) => [true, false].flatMap((all) => [...mask(text, all).secrets])),
      );
      const { text, unknown } = restoreText(call.text, secrets);
      const lineAt = (index: number) => call.text.slice(0, index).split("\n").length;
      return { text, unknownLines: unknown.map(lineAt) };
    }
  }
}

function editByForm(
  { text, edits }: Extract<TextCall, { readonly type: "form" }>,
): TextResults["form"] {
  try {
    const edited = applyEdits(text, edits);
    return { text: edited, objects: listFormObjects(edited) };
  } catch (thrown) {
    if (thrown instanceof FormError) return { refusal: thrown.message };
    throw thrown;
  }
}

const members = new SecretMembers(configSchema(adapters));

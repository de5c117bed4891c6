/** Events of audio with OpenAI's names and members, by the models of https://github.com/mistralai/client-python (3.7.0, 2026-11). */

import { isObject, type JsonObject } from "../../core/json/object.ts";
import { isQuickToParse } from "../../core/json/limits.ts";
import type { Frame } from "../contract/frames.ts";

/** The members of an event; none for other data, and for what the gateway refuses as too complex. */
export function eventMembers({ data }: Frame): JsonObject {
  if (!isQuickToParse(data)) return {};
  try {
    const value = JSON.parse(data);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}

/** Converts the events of one transcription; the language, which OpenAI's lack, passes unchanged. */
export function transcriptEvents(): (frame: Frame) => Frame {
  let segments = 0;
  return (frame) => {
    const { text, type, ...others } = eventMembers(frame);
    switch (type) {
      case "transcription.text.delta":
        return toFrame({ type: "transcript.text.delta", delta: text, ...others });
      case "transcription.segment": {
        const { speaker_id: speaker, ...times } = others;
        const id = `seg_${segments++}`;
        const named = { ...times, ...(speaker !== undefined && speaker !== null && { speaker }) };
        return toFrame({ type: "transcript.text.segment", id, text, ...named });
      }
      case "transcription.done":
        return toFrame({ type: "transcript.text.done", text, ...others });
      default:
        return frame;
    }
  };
}

function toFrame(event: JsonObject & { readonly type: string }): Frame {
  return { event: event.type, data: JSON.stringify(event) };
}

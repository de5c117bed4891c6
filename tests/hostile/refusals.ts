/** A vendor's refusals in the format of each kind. */

import { toAnswer } from "./answers.ts";

/** A refusal, independent of a vendor's format. */
export interface Refusal {
  readonly status: number;
  readonly message: string;
  /** The error code in OpenAI's format; other formats have different codes for a bad request. */
  readonly code?: string | null;
  readonly param?: string | null;
}

/** The bytes of a refusal in the format of this kind. */
export function toRefusal(kind: string, refusal: Refusal): string {
  const { status, message, code = null, param = null } = refusal;
  switch (kind) {
    case "gemini":
    case "vertex": {
      const word = status === 403 ? "PERMISSION_DENIED" : "INVALID_ARGUMENT";
      return toAnswer(status, { error: { code: status, message, status: word } });
    }
    case "anthropic": {
      const type = status === 403 ? "permission_error" : "invalid_request_error";
      return toAnswer(status, { type: "error", error: { type, message } });
    }
    case "bedrock":
      return toAnswer(status, { message }, { "x-amzn-errortype": "ValidationException" });
    case "cohere":
      return toAnswer(status, { id: "1", message });
    case "ollama":
      return toAnswer(status, { error: message });
    case "mistral":
      return toAnswer(status, {
        object: "error",
        message,
        type: "invalid_request_error",
        code,
        param,
      });
    case "xai":
      return toAnswer(status, { code: "Client specified an invalid argument", error: message });
    default:
      return toAnswer(status, { error: { message, type: "invalid_request_error", param, code } });
  }
}

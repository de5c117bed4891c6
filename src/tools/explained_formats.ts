/** The formats of the requests that `sluice explain` reads. */

import { isObject } from "../core/json/object.ts";
import { isText } from "../core/json/values.ts";
import { GEMINI_METHODS, type GeminiMethod } from "../gateway/execute/gemini/gemini_endpoints.ts";
import { checkMemberNames } from "../gateway/execute/member_names.ts";
import { OLLAMA_ENDPOINTS } from "../gateway/execute/ollama/ollama_endpoints.ts";
import { OPERATIONS } from "../gateway/execute/list.ts";
import type { ParsedRequest } from "../gateway/parsed_request.ts";
import { NO_HEADERS } from "../gateway/operation_kind.ts";
import { invalidValue } from "../core/errors.ts";

/** Reads the body of a request. @throws {GatewayError} for an invalid request. */
type RequestReader = (body: unknown) => ParsedRequest;

/** By the value of the option `--format`. */
export const EXPLAINED_FORMATS: ReadonlyMap<string, RequestReader> = new Map([
  ...OPERATIONS.flatMap(({ endpoints }) =>
    endpoints.map(({ explainedAs, format, read }): [string, RequestReader] => [
      explainedAs,
      checked(format?.name ?? "", (body) => read(body, NO_HEADERS)),
    ])
  ),
  ...GEMINI_METHODS.map((method): [string, RequestReader] => [
    method.explainedAs,
    checked("gemini", (body) => readGemini(body, method)),
  ]),
  ...OLLAMA_ENDPOINTS.map(({ explainedAs, read }): [string, RequestReader] => [
    explainedAs,
    checked("ollama", (body) => read(body, (model) => model)),
  ]),
]);

/** Reads a request as a gateway does, which rejects some member names. */
function checked(format: string, read: RequestReader): RequestReader {
  return (body) => {
    const request = read(body);
    checkMemberNames(body, format);
    return request;
  };
}

/** The format of a request without the option `--format`. */
export const DEFAULT_EXPLAINED_FORMAT = "chat_completions";

/** In Gemini's API the path names the model, so in a file it is a member of the body. */
function readGemini(body: unknown, { read }: GeminiMethod): ParsedRequest {
  const { model, ...request } = isObject(body) ? body : {};
  if (!isText(model)) throw invalidValue("model", "is required: the path of a request has it");
  return read(request, model.replace(/^models\//, ""), () => {});
}

/** The formats of the requests that `sluice explain` reads. */

import { OPERATIONS } from "../operations/list.ts";
import type { ModelRequest } from "../routing/model_request.ts";

/** Reads the body of a request. @throws {GatewayError} for a faulty request. */
type ReadRequest = (body: unknown) => ModelRequest;

const CONTEXT = { headers: new Map<string, string>(), onEstimate() {} };

/** By the value of the option `--format`. */
export const EXPLAINED_FORMATS: ReadonlyMap<string, ReadRequest> = new Map(
  OPERATIONS.flatMap(({ endpoints }) =>
    endpoints.map(({ explainedAs, read }) => [explainedAs, (body: unknown) => read(body, CONTEXT)])
  ),
);

/** The format of a request without the option `--format`. */
export const DEFAULT_EXPLAINED_FORMAT = "chat_completions";

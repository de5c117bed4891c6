/** Anthropic's Messages API at vendors of the dialect that also serve it. */

import * as z from "zod";
import type { Adapter } from "../../contract/adapter.ts";
import { toHeader } from "../shared/claude/betas.ts";
import { nativeMessages } from "../shared/native_messages.ts";
import { systemTurnRepair } from "./refusals.ts";
import { present } from "../../core/json/values.ts";
import type { NativeApi } from "../../contract/native.ts";
import type { Auth, ProviderSettings, TargetModel } from "../../contract/vendor_request.ts";

/** The location of a vendor's Messages API. */
export interface DialectMessages {
  /** The path from the root of the vendor's host. */
  readonly path: string;
  /**
   * Whether it is used unless the configuration says otherwise: at the vendor's own host, where the
   * vendor documents the endpoint. Others are used for `api: messages`.
   */
  readonly byDefault: boolean;
  /** Whether the vendor counts tokens at `count_tokens` below the path. */
  readonly counts?: boolean;
  /** Whether it also counts the tokens of converted requests. */
  readonly countsConverted?: boolean;
  /** Default: a bearer token. */
  readonly auth?: Auth;
}

/** The setting `api` for a provider that has both APIs. */
export const messagesOptions = z.strictObject({
  api: z.enum(["auto", "chat", "messages"]).optional().describe(
    "Vendor API for callers of the Messages API: 'messages' passes their requests unchanged, " +
      "'chat' converts them, 'auto' chooses by the vendor's documentation for its own host",
  ),
});

/** The members `native` and `messagesCounter` of an adapter. */
export function nativeMessagesOf(
  { path, byDefault, counts, countsConverted, auth = { type: "bearer" } }: DialectMessages,
  vendorUrl: string,
  toError: Adapter["toError"],
): Required<Pick<Adapter, "native">> & Pick<Adapter, "messagesCounter"> {
  const api = nativeMessages({
    framing: "sse",
    request: (call, betas) => ({
      url: new URL(path, call.provider.baseUrl).href,
      headers: {
        "anthropic-version": call.headers.get("anthropic-version") ?? "2023-06-01",
        ...toHeader(betas),
      },
      auth,
    }),
    ...(counts && {
      countUrl: ({ provider }) => new URL(`${path}/count_tokens`, provider.baseUrl).href,
    }),
    toError(failure) {
      const error = toError(failure);
      const repair = systemTurnRepair(error.message) ?? error.repair;
      return repair === error.repair ? error : { ...error, repair };
    },
  });
  const isUsed = (model: TargetModel, { options, baseUrl }: ProviderSettings) => {
    const wanted = model.api ?? options.api ?? "auto";
    return wanted === "messages" || wanted === "auto" && byDefault && baseUrl === vendorUrl;
  };
  return {
    native: (format, model, provider) =>
      format === "messages" && isUsed(model, provider) ? api : undefined,
    ...(countsConverted && { messagesCounter: api }),
  };
}

/** The API of a vendor. A server without it receives chat requests. */
export function completionsApi(auth: Auth, toError: Adapter["toError"]): NativeApi {
  return {
    framing: "sse",
    toRequest: ({ body, params, model, provider }) => ({
      url: `${provider.baseUrl}/completions`,
      headers: {},
      body: present({ ...params, ...body, model: model.upstream }),
      auth,
    }),
    toError,
    mayBeAbsent: true,
  };
}

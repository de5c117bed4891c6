/** Text completions at servers of the dialect: `POST /completions`, with the model's raw prompt. */

import { present } from "../../core/json/values.ts";
import type { Adapter, Auth } from "../contract/adapter.ts";
import type { NativeApi } from "../contract/native.ts";

/** The API of a vendor. A server that lacks it is asked by chat. */
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

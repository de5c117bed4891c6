/**
 * `/v1/admin/providers/{provider_id}/test`: one request with one output token to a provider in the
 * current configuration, and its maximum cost.
 */

import * as z from "zod";
import type { Provider } from "../../config/config.ts";
import { pinnedForm } from "../../config/disabled_names.ts";
import { GatewayError } from "../../core/errors.ts";
import { shortened } from "../../core/text.ts";
import { MICRO_USD } from "../../governance/cost.ts";
import { OPERATIONS } from "../../gateway/execute/list.ts";
import { costOf } from "../../gateway/order/prices.ts";
import { unknownProvider } from "./admin.ts";
import { readAdminBody } from "./admin_keys.ts";
import { NO_HEADERS } from "../../gateway/operation_kind.ts";
import { answerAsked, nameModel } from "./model_routes.ts";
import { json, type RouteContext, type RouteResponse } from "./route.ts";

const PATH = "/v1/chat/completions";
const PROMPT = "Hi";
/** An upper bound on the prompt's tokens, including the vendor's framing. */
const MAX_INPUT_TOKENS = 20;
const MAX_OUTPUT_TOKENS = 1;
const MAX_ANSWER_CHARS = 200;
/** A vendor's list may contain thousands of models. */
const MAX_MODELS = 500;
const MAX_ID_CHARS = 200;

/** The test's body; the first model by default. */
export const providerTestBody = z.strictObject({ model: z.string().min(1).max(1000).optional() });

/** The maximum cost of testing each of a provider's models. */
export function planProviderTest(context: RouteContext): RouteResponse {
  const provider = findProvider(context);
  return json({
    object: "provider.test_plan",
    provider: provider.settings.id,
    prompt: PROMPT,
    max_input_tokens: MAX_INPUT_TOKENS,
    max_output_tokens: MAX_OUTPUT_TOKENS,
    models: provider.models.slice(0, MAX_MODELS).map((model) => {
      const most = costOf({ model }, MAX_USAGE);
      return { id: model.id, max_cost_usd: most === undefined ? null : most / MICRO_USD };
    }),
  });
}

const MAX_USAGE = {
  ...{ input: MAX_INPUT_TOKENS, output: MAX_OUTPUT_TOKENS },
  ...{ cached: 0, written: 0, writtenHour: 0 },
};

/**
 * Sends the request, which is recorded in the ledger like any other, under the admin key's name.
 *
 * @throws {GatewayError} when it fails, with the vendor's message.
 */
export async function testProvider(
  request: Request,
  context: RouteContext,
): Promise<RouteResponse> {
  const provider = findProvider(context);
  const { record, deps } = context;
  const { model = provider.models[0]?.id ?? "" } = request.body === null
    ? {}
    : await readAdminBody(request, context, providerTestBody);
  record.audit = { ...record.audit, model: model.slice(0, MAX_ID_CHARS) };
  const { id } = provider.settings;
  if (!provider.models.some((one) => one.id === model)) {
    throw new GatewayError(
      "model_not_found",
      `The provider '${id}' has no model '${shortened(model, MAX_ID_CHARS)}'`,
      { param: "model" },
    );
  }
  const name = pinnedForm(model, id);
  const targets = context.config.resolve(name) ?? [];
  if (targets.some(({ target }) => target.provider !== provider)) {
    const message = `'${shortened(name, MAX_ID_CHARS)}' is the name of an alias or another model`;
    throw new GatewayError("model_not_found", message, { param: "model" });
  }
  const body = {
    model: name,
    messages: [{ role: "user", content: PROMPT }],
    max_tokens: MAX_OUTPUT_TOKENS,
  };
  record.isModelRequest = true;
  nameModel(context, body.model);
  const began = deps.clock.now();
  // A cached answer would not test the provider.
  const headers = new Headers({ "x-sluice-cache": "off" });
  const parsed = chat.read(body, NO_HEADERS);
  try {
    const response = await answerAsked(parsed, { headers, body, isExplained: false }, context);
    const ms = Math.round(deps.clock.now() - began);
    return {
      ...json({ object: "provider.test", provider: id, model, ms, ...factsOf(response) }),
      headers: { ...response.headers },
    };
  } catch (thrown) {
    throw withVendorWords(thrown, provider);
  }
}

/** The endpoint that tests use. */
const chat = findChat();

function findChat() {
  const found = OPERATIONS.flatMap(({ endpoints }) => [...endpoints]).find(({ path }) =>
    path === PATH
  );
  if (found === undefined) throw new TypeError("There is no operation for chat");
  return found;
}

/** @throws {GatewayError} `provider_not_found` for a provider that is unknown or disabled. */
function findProvider({ config, params, record }: RouteContext): Provider {
  const id = params.get("provider_id") ?? "";
  record.audit = { ...record.audit, provider: id.slice(0, MAX_ID_CHARS) };
  const provider = config.providers.get(id);
  if (provider === undefined) throw unknownProvider(id, config);
  return provider;
}

function factsOf({ body }: RouteResponse) {
  const text = typeof body === "string" ? body : decode(body);
  const { choices: [choice], usage } = JSON.parse(text);
  return {
    answer: shortened(String(choice?.message?.content ?? ""), MAX_ANSWER_CHARS),
    finish_reason: choice?.finish_reason ?? null,
    usage: usage ?? null,
  };
}

function decode(body: RouteResponse["body"]): string {
  if (body instanceof Uint8Array) return new TextDecoder().decode(body);
  if (!Array.isArray(body)) throw new TypeError("The answer must not be a stream");
  const decoder = new TextDecoder();
  return body.map((piece) => decoder.decode(piece, { stream: true })).join("") + decoder.decode();
}

/** Only the admin sees why a vendor rejected the gateway's key. */
function withVendorWords(thrown: unknown, { redactor }: Provider): unknown {
  if (!(thrown instanceof GatewayError) || thrown.loggedCause === undefined) return thrown;
  const { kind, message, code, headers, cause } = thrown;
  return new GatewayError(kind, `${message}: ${redactor.redact(thrown.loggedCause)}`, {
    ...{ code, headers, cause },
  });
}

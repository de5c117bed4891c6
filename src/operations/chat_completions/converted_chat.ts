/** A chat whose request the client wrote in parts of other formats. */

import type { FieldPaths } from "../../chat/field_paths.ts";
import type { Target } from "../../config/config.ts";
import { formatFor } from "../../formats/chat_completions/custom_calls.ts";
import type { InterceptedChat } from "../../gateway/interceptions.ts";
import type { Receipt } from "../../providers/contract/receipt.ts";
import type {
  ExplainContext,
  ExplainedRequest,
  PrepareContext,
  PreparedRequest,
} from "../../routing/operation.ts";
import type { RequestImages } from "../../upstream/images/request_images.ts";
import { ChatOperation } from "../chat/operation.ts";

/** The same chat, whose receipts also say what was converted. */
export class ConvertedChat extends ChatOperation {
  readonly #receipt: Receipt;

  constructor(
    intercepted: InterceptedChat,
    images: () => RequestImages,
    receipt: Receipt,
    origins: FieldPaths | undefined,
  ) {
    super(intercepted, formatFor(intercepted.request, true), images, origins);
    this.#receipt = receipt;
  }

  override prepare(
    target: Target,
    context: PrepareContext,
  ): PreparedRequest | Promise<PreparedRequest> {
    context.receipt.include(this.#receipt);
    return super.prepare(target, context);
  }

  override explain(
    target: Target,
    context: ExplainContext,
  ): ExplainedRequest | Promise<ExplainedRequest> {
    context.receipt.include(this.#receipt);
    return super.explain(target, context);
  }
}

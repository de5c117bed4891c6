import { isObject } from "../../../contract/chat.ts";
import { nearestOf } from "../rewrites.ts";
import { dialectOf, lacks } from "../row.ts";
import { openAiCompatible } from "../openai_compatible_adapter.ts";
import { refused } from "../../../contract/support.ts";

/** SambaNova (https://docs.sambanova.ai, 2026-07-20). */
export const sambanova = openAiCompatible(dialectOf({
  kind: "sambanova",
  baseUrl: "https://api.sambanova.ai/v1",
  rendersTemplates: true,
  parameters: {
    ...lacks("no such field", "n"),
    ...lacks("no model uses it", "frequency_penalty", "presence_penalty", "seed", "logit_bias"),
  },
  content: { input_audio: refused("no audio input"), file: refused("no files") },
  imageDataOnly: true,
  thinkTags: true,
  efforts: [[/./, nearestOf("low", "medium", "high")]],
  // `logprobs.content` is an object for one token; OpenAI's is a list.
  choice: ({ logprobs }) => {
    if (isObject(logprobs) && isObject(logprobs.content)) logprobs.content = [logprobs.content];
  },
}));

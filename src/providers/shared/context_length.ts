/** Detects vendors' errors about prompts that are too long for the model. */

/**
 * Whether an error's code, type or message means that the prompt is too long. All vendors share one
 * list, since they serve each other's models and pass on their messages.
 */
export function saysTooLong(text: string): boolean {
  return TOO_LONG.test(text);
}

/** Phrases, with the vendor where each was first observed (2026-08). */
const PHRASES = [
  // OpenAI and most servers of its dialect.
  /context_length_exceeded|maximum context length|context window|reduce the length of/,
  // Anthropic.
  /(?:prompt|input) is too long|exceeds? (?:the )?context limit/,
  // Bedrock, where Nova says "Input Tokens Exceeded: Number of input tokens exceeds maximum length".
  /input tokens exceeded|exceeds? (?:the )?(?:model )?(?:maximum )?context|context (?:length|limit)/,
  // Cohere, and Bedrock.
  /too many (?:input |prompt )?tokens/,
  // Gemini: "The input token count (…) exceeds the maximum number of tokens allowed (…)".
  /input token count.{0,40}exceeds|exceeds the maximum number of tokens/,
  // Ollama, in both of its APIs: "prompt too long; exceeded max context length".
  /prompt too long|max context length|longer than (?:the|its) (?:\w+ )?context/,
  // Perplexity's type of error.
  /too_many_prompt_tokens/,
  // xAI.
  /maximum prompt length/,
  // llama.cpp.
  /context[ _]size/,
  // LM Studio: "Trying to keep the first … tokens when context the overflows".
  /when (?:the )?context (?:the )?overflows/,
  // Moonshot: "Your request exceeded model token limit: 131072".
  /exceeded model token limit/,
  // Z.ai: "Prompt exceeds max length".
  /prompt exceeds max(?:imum)? length/,
  // Qwen: "Range of input length should be [1, 129024]".
  /range of input length should be/,
  // vLLM: "The decoder prompt (length …) is longer than the maximum model length of …".
  /longer than the maximum model length/,
  // Hugging Face, and Together: "`inputs` tokens + `max_new_tokens` must be <= 4097".
  /inputs` tokens \+ `max_new_tokens` must be/,
];

const TOO_LONG = new RegExp(PHRASES.map(({ source }) => source).join("|"), "i");

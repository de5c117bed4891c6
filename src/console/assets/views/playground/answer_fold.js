/** Folds the chunks of a streamed answer into one message, or reads a whole answer. */

/** A growing message. Each text is a list of pieces, so that appending is cheap. */
export class AnswerFold {
  /** Called with each new piece of text: the part, such as `content`, and the piece. */
  #onText;
  #content = [];
  #reasoning = [];
  #refusal = [];
  /** The tool calls by index, with their arguments in pieces. */
  #calls = new Map();
  #details = new Map();
  finishReason = null;
  /** @type {any} */
  usage = null;
  model = null;
  hasReasoning = false;

  /** @param {(part: string, text: string) => void} [onText] */
  constructor(onText = () => {}) {
    this.#onText = onText;
  }

  /** Adds a chunk of a stream. Only the first choice is shown. @param {any} chunk */
  addChunk({ model, choices, usage }) {
    if (typeof model === "string") this.model = model;
    if (usage) this.usage = usage;
    const choice = Array.isArray(choices) ? choices.find(({ index }) => !index) : undefined;
    if (choice === undefined) return;
    this.#addDelta(choice.delta ?? {});
    if (choice.finish_reason) this.finishReason = choice.finish_reason;
  }

  /** Adds a whole answer. @param {any} body */
  addCompletion({ model, choices, usage }) {
    const [choice] = Array.isArray(choices) ? choices : [];
    this.addChunk({ model, usage, choices: [{ ...choice, index: 0, delta: choice?.message }] });
  }

  #addDelta({ content, reasoning_content, reasoning_details, refusal, tool_calls }) {
    this.#addText("reasoning", this.#reasoning, reasoning_content);
    this.#addText("content", this.#content, content);
    this.#addText("refusal", this.#refusal, refusal);
    if (Array.isArray(tool_calls)) {
      tool_calls.forEach((call, at) => this.#addCall(call, call.index ?? at));
    }
    if (Array.isArray(reasoning_details)) {
      reasoning_details.forEach((detail, at) => this.#addDetail(detail, detail.index ?? at));
    }
  }

  #addText(part, pieces, text) {
    if (typeof text !== "string" || text === "") return;
    if (part === "reasoning") this.hasReasoning = true;
    pieces.push(text);
    this.#onText(part, text);
  }

  #addCall({ index: _, id, type, function: called, custom, ...others }, key) {
    let call = this.#calls.get(key);
    if (call === undefined) {
      call = { id: "", type: "function", name: "", input: [], others: {} };
      this.#calls.set(key, call);
    }
    if (id) call.id = id;
    if (type) call.type = type;
    const part = called ?? custom ?? {};
    if (part.name) call.name = part.name;
    const input = part.arguments ?? part.input;
    if (typeof input === "string" && input !== "") call.input.push(input);
    this.#onText("call", input ?? "");
    Object.assign(call.others, others);
  }

  /** Entries with the same index are pieces of one. */
  #addDetail({ index: _, ...detail }, key) {
    const known = this.#details.get(key);
    if (known === undefined) {
      this.#details.set(key, { ...detail });
      return;
    }
    for (const [name, value] of Object.entries(detail)) {
      const isText = (name === "text" || name === "summary") && typeof known[name] === "string";
      known[name] = isText && typeof value === "string" ? known[name] + value : value;
    }
  }

  get content() {
    return joined(this.#content);
  }

  get reasoning() {
    return joined(this.#reasoning);
  }

  get refusal() {
    return joined(this.#refusal);
  }

  /** The current tool calls. */
  get toolCalls() {
    return [...this.#calls.values()].map(({ id, type, name, input, others }) => {
      const text = joined(input);
      return type === "custom"
        ? { id, type, custom: { name, input: text }, ...others }
        : { id, type, function: { name, arguments: text }, ...others };
    });
  }

  /** The message for the next turn; undefined if the model has written nothing. */
  toMessage() {
    const { content, refusal, toolCalls } = this;
    if (content === "" && refusal === "" && toolCalls.length === 0) return undefined;
    const details = [...this.#details.values()];
    return {
      role: "assistant",
      content: content === "" ? null : content,
      ...(refusal !== "" && { refusal }),
      ...(toolCalls.length > 0 && { tool_calls: toolCalls }),
      ...(details.length > 0 && { reasoning_details: details }),
    };
  }
}

/** Joins the pieces, and replaces the list by the result. */
function joined(pieces) {
  if (pieces.length > 1) pieces.splice(0, pieces.length, pieces.join(""));
  return pieces[0] ?? "";
}

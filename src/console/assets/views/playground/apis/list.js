/** The APIs that the playground asks. Those besides Chat Completions are loaded when they are chosen. */

/** Reads chunks of Chat Completions as they are. */
class ChunkReader {
  isComplete = false;

  read(chunk) {
    return chunk;
  }

  readWhole({ model, choices = [], usage }) {
    return [{ model, usage, choices: choices.map((one) => ({ ...one, delta: one.message })) }];
  }
}

/** Parts of reasoning that another API wrote are left out: no vendor would read them. */
function toChatBody(chat) {
  const messages = chat.messages.map(({ reasoning_details: details, ...message }) => {
    const own = details?.filter(({ api }) => api === undefined) ?? [];
    return { ...message, ...(own.length > 0 && { reasoning_details: own }) };
  });
  return { ...chat, messages };
}

/** Vectors are not a conversation: they are shown elsewhere. */
class VectorReader {
  isComplete = true;

  readWhole({ model, usage }) {
    return [{ model, usage: { completion_tokens: 0, ...usage } }];
  }
}

/** In the order in which the page shows them. */
export const APIS = new Map([
  ["chat", { title: "Chat Completions", path: "/v1/chat/completions" }],
  ["messages", {
    ...{ title: "Messages", path: "/v1/messages", load: () => import("./messages.js") },
  }],
  ["responses", {
    ...{ title: "Responses", path: "/v1/responses", load: () => import("./responses.js") },
  }],
  ["embeddings", { title: "Embeddings", path: "/v1/embeddings" }],
]);

/** How requests are written and answers are read, of the APIs that are loaded. */
const loaded = new Map([
  ["chat", { toBody: toChatBody, Reader: ChunkReader }],
  ["embeddings", { Reader: VectorReader }],
]);

/** Loads what an API needs. @param {string} id */
export async function loadApi(id) {
  const { load } = APIS.get(id);
  if (!loaded.has(id)) loaded.set(id, await load());
}

/**
 * What an API needs.
 *
 * @param {string} id
 * @throws {RangeError} before it is loaded
 */
export function loadedApi(id) {
  const api = loaded.get(id);
  if (api === undefined) throw new RangeError(`The ${APIS.get(id).title} API is being loaded`);
  return api;
}

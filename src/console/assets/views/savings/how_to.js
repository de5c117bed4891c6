/** How to enable each capability: valid members of config.yaml. */

export const HOW_TO = {
  prompt: {
    text: "On by default for Claude, where the prompt has at least 1,024 to 4,096 tokens. " +
      "Most other vendors cache automatically.",
    config: "routing:\n  prompt_caching: auto",
  },
  sessions: {
    text: "Sends a session's requests to the target whose cache has its prompt.",
    config: "routing:\n  affinity: { ttl: auto }",
  },
  order: {
    text: "Tries the cheapest of equal targets first. A nested list is a group of equals.",
    config: "aliases:\n  cheapest:\n    targets: [[model-a, model-b]]\n    balance: price",
  },
  response: {
    text:
      "Answers identical requests with a temperature of 0 from memory, for each key separately.",
    config: "routing:\n  cache: { ttl: 5m }",
  },
  hedges: {
    text:
      "Sends the request to a second target if the first one takes unusually long. It costs money and saves " +
      "time.",
    config: "routing:\n  hedge: { after: p90, share: 5%, usd_per_hour: 2 }",
  },
  queue: {
    text: "Requests wait for a limit instead of getting a 429.",
    config: "routing:\n  queue: { max_wait: 20s }",
  },
};

/** The search of the command palette. */

/** The maximum number of visible entries. */
const MAX_SHOWN = 50;

/**
 * The entries that contain every word of a text, the best match first: entries that begin with the
 * text, then entries with a word that begins with it, then all others in their order.
 *
 * @template {{ text: string }} Entry
 * @param {readonly Entry[]} entries
 * @param {string} text
 * @returns {Entry[]}
 */
export function search(entries, text) {
  const words = text.toLowerCase().split(/\s+/).filter((word) => word !== "");
  if (words.length === 0) return entries.slice(0, MAX_SHOWN);
  const ranked = [[], [], []];
  for (const entry of entries) {
    const found = entry.text.toLowerCase();
    if (!words.every((word) => found.includes(word))) continue;
    const [first] = words;
    const rank = found.startsWith(first) ? 0 : isWordStart(found, first) ? 1 : 2;
    ranked[rank].push(entry);
  }
  return ranked.flat().slice(0, MAX_SHOWN);
}

function isWordStart(text, word) {
  const at = text.indexOf(word);
  return at > 0 && /[^a-z0-9]/.test(text[at - 1]);
}

/** The entries for the names of a gateway: models, keys and providers. */
export function namedEntries({ models, keys, providers }, canTry) {
  const of = (kind, name, value) => {
    const query = new URLSearchParams({ [name]: value });
    return [
      { text: `${value}: requests`, kind, address: `#/requests?${query}` },
      { text: `${value}: usage`, kind, address: `#/usage?${query}` },
    ];
  };
  return [
    ...models.flatMap((model) => [
      ...canTry
        ? [{
          ...{ text: `${model}: try`, kind: "Model" },
          address: `#/playground?${new URLSearchParams({ model })}`,
        }]
        : [],
      ...of("Model", "model", model),
    ]),
    ...keys.flatMap((key) => of("Key", "key", key)),
    ...providers.flatMap((provider) => of("Provider", "provider", provider)),
  ];
}

/** A vendor's message about a failure in a form that may be shown: it can quote anything. */

/** The maximum length of a text, in UTF-16 units. */
const MAX_CHARS = 300;
/** More is not examined: what is cut may make a text shorter, but rarely by so much. */
const MAX_EXAMINED = 1000;

/** What is replaced, in this order. */
const HIDDEN: readonly (readonly [RegExp, string])[] = [
  [/\b[a-z][a-z0-9+.-]{1,15}:\/\/[^\s"'<>)\]]+/gi, "[url]"],
  [/[\w.+-]{1,64}@[\w-]{1,64}(?:\.[\w-]{1,64})+/g, "[address]"],
  [
    /\b(?:bearer|basic|api[-_ ]?key|token|authorization)\b["']?\s*[:= ]\s*["']?[^\s"',;]{6,}/gi,
    "[secret]",
  ],
  [
    /\b(?:sk|pk|rk|key|ghp|gho|xox[abp]|AKIA|AIza|ya29|eyJ)[-_.]?[A-Za-z0-9_\-./+*\u2026]{8,}/g,
    "[secret]",
  ],
  // Tokens without a known beginning. Names of models have no capitals, or are shorter.
  [/(?<![\w/+-])(?=[\w/+=-]*\d)(?=[\w/+=-]*[a-z])(?=[\w/+=-]*[A-Z])[\w/+=-]{20,}/g, "[secret]"],
  [/(?<![\w/+-])[0-9a-fA-F]{32,}(?![\w/+-])/g, "[secret]"],
  [/(?<![\w.])\d{1,3}(?:\.\d{1,3}){3}(?::\d{1,5})?(?![\w.])/g, "[address]"],
  [/(?<![\w:])\[?(?:[0-9a-f]{0,4}:){3,7}[0-9a-f]{0,4}\]?(?::\d{1,5})?(?![\w:])/gi, "[address]"],
  [/(?<![\w.@-])(?:[a-z0-9-]{1,63}\.){1,8}[a-z]{2,24}(?::\d{1,5}|\/[^\s"']*)/gi, "[address]"],
  [/\blocalhost(?::\d{1,5})?/gi, "[address]"],
];

/** The text of a vendor's message without secrets, addresses and URLs, cut to 300 characters. */
export function toVendorText(message: string): string {
  let text = message.slice(0, MAX_EXAMINED);
  for (const [pattern, word] of HIDDEN) text = text.replace(pattern, word);
  text = text.replace(/[\p{Cc}\p{Cf}\s]+/gu, " ").trim();
  return text.length <= MAX_CHARS ? text : `${text.slice(0, MAX_CHARS - 1).toWellFormed()}…`;
}

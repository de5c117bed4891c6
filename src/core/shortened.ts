/** Cuts texts from outside for messages and logs. */

/** A text with at most this many UTF-16 units, and an ellipsis if it was longer. */
export function shortened(text: string, maxLength: number): string {
  return text.length > maxLength ? `${text.slice(0, maxLength)}…` : text;
}

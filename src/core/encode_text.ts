/** Encodes long texts as UTF-8. */

/** The maximum piece that is encoded at once, in UTF-16 units. */
const MAX_PIECE_LENGTH = 128 * 1024;
/** The maximum number of bytes for one UTF-16 unit. */
const MAX_BYTES_PER_UNIT = 3;

const encoder = new TextEncoder();

/**
 * Encodes a text in pieces, so that no second copy of the whole text is in memory. Each piece is
 * valid until the next one.
 */
export function* encodePieces(text: string): Generator<Uint8Array> {
  const bytes = new Uint8Array(MAX_BYTES_PER_UNIT * MAX_PIECE_LENGTH);
  for (let at = 0, end = 0; at < text.length; at = end) {
    end = endOfPiece(text, at);
    yield bytes.subarray(0, encoder.encodeInto(text.slice(at, end), bytes).written);
  }
}

/** Does not split a character of two units. */
function endOfPiece(text: string, start: number): number {
  const end = Math.min(start + MAX_PIECE_LENGTH, text.length);
  return end < text.length && (text.charCodeAt(end - 1) & 0xfc00) === 0xd800 ? end - 1 : end;
}

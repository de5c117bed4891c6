/** The hash slots of a cluster (https://valkey.io/topics/cluster-spec/, 2026-11-26). */

/** The number of slots. */
export const SLOTS = 16_384;

/** CRC-16/XMODEM of each byte. */
const TABLE = Uint16Array.from({ length: 256 }, (_, byte) => {
  let crc = byte << 8;
  for (let bit = 0; bit < 8; bit++) crc = crc & 0x8000 ? (crc << 1) ^ 0x1021 : crc << 1;
  return crc;
});

const encoder = new TextEncoder();

/** The slot of a key: of the text between its first braces, if there is some. */
export function slotOf(key: string): number {
  const start = key.indexOf("{");
  const end = start === -1 ? -1 : key.indexOf("}", start + 1);
  const hashed = end > start + 1 ? key.slice(start + 1, end) : key;
  let crc = 0;
  for (const byte of encoder.encode(hashed)) {
    crc = ((crc << 8) ^ (TABLE[(crc >> 8) ^ byte] ?? 0)) & 0xffff;
  }
  return crc % SLOTS;
}

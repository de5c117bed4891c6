/** Writes audio as WAV. */

const HEADER_BYTES = 44;

/** One channel of 16-bit samples with the header of a WAV file (RIFF, format 1). */
export function toWav(samples: Uint8Array, rate: number): Uint8Array<ArrayBuffer> {
  const wav = new Uint8Array(HEADER_BYTES + samples.length);
  const view = new DataView(wav.buffer);
  const word = (at: number, text: string) => wav.set(new TextEncoder().encode(text), at);
  word(0, "RIFF");
  view.setUint32(4, HEADER_BYTES - 8 + samples.length, true);
  word(8, "WAVEfmt ");
  view.setUint32(16, 16, true);
  view.setUint16(20, 1, true);
  view.setUint16(22, 1, true);
  view.setUint32(24, rate, true);
  view.setUint32(28, rate * 2, true);
  view.setUint16(32, 2, true);
  view.setUint16(34, 16, true);
  word(36, "data");
  view.setUint32(40, samples.length, true);
  wav.set(samples, HEADER_BYTES);
  return wav;
}

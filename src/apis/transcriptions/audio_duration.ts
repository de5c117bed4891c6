/**
 * Reads the duration of audio from the beginning of its file: WAV, FLAC, MP3, Ogg, MP4 and WebM.
 * Values in a header are checked against the size of the file as far as its format allows.
 */

import { Buffer } from "node:buffer";

/** A file whose first bytes are known. */
export interface AudioFile {
  readonly head: Uint8Array;
  /** The estimated size of the whole file, in bytes. */
  readonly size: number;
}

/** The duration of a file in seconds; undefined if its header does not contain it. */
export function audioSeconds({ head, size }: AudioFile): number | undefined {
  const bytes = Buffer.from(head.buffer, head.byteOffset, head.byteLength);
  try {
    const seconds = readerOf(bytes)?.(bytes, Math.max(size, bytes.length));
    return seconds !== undefined && Number.isFinite(seconds) && seconds > 0 ? seconds : undefined;
  } catch (thrown) {
    // The known bytes end before the length in the header.
    if (thrown instanceof RangeError) return undefined;
    throw thrown;
  }
}

type ReadSeconds = (bytes: Buffer, size: number) => number | undefined;

function readerOf(bytes: Buffer): ReadSeconds | undefined {
  const start = bytes.toString("latin1", 0, 4);
  if (start === "RIFF" || start === "RF64") return wavSeconds;
  if (start === "fLaC") return (flac, size) => flacSeconds(flac, 4, size);
  if (start === "OggS") return oggSeconds;
  if (bytes.toString("latin1", 4, 8) === "ftyp") return mp4Seconds;
  if (start === "\x1a\x45\xdf\xa3") return webmSeconds;
  if (start.startsWith("ID3") || isFrame(bytes, 0)) return mp3Seconds;
  return undefined;
}

/**
 * The size of all samples divided by their rate, regardless of the chunk's size field, which may be
 * wrong or not yet known.
 */
function wavSeconds(bytes: Buffer, size: number): number | undefined {
  for (let at = 12; at + 8 <= bytes.length;) {
    const name = bytes.toString("latin1", at, at + 4);
    const length = bytes.readUInt32LE(at + 4);
    if (name === "fmt ") {
      const [format, channels] = [bytes.readUInt16LE(at + 8), bytes.readUInt16LE(at + 10)];
      const [rate, declared] = [bytes.readUInt32LE(at + 12), bytes.readUInt32LE(at + 16)];
      const bits = bytes.readUInt16LE(at + 22);
      // Only PCM has a number of bits for each sample.
      const perSecond = format === 1 || format === 3 || format === 0xfffe
        ? rate * channels * bits / 8
        : declared;
      return (size - at) / perSecond;
    }
    at += 8 + length + length % 2;
  }
  return undefined;
}

/** https://www.rfc-editor.org/rfc/rfc9639#section-8.2 (2024-12) */
function flacSeconds(bytes: Buffer, at: number, size: number): number | undefined {
  if ((bytes.readUInt8(at) & 0x7f) !== 0) return undefined;
  const packed = bytes.readBigUInt64BE(at + 14);
  const rate = Number(packed >> 44n);
  const channels = Number(packed >> 41n & 7n) + 1;
  const bits = Number(packed >> 36n & 31n) + 1;
  const samples = Number(packed & 0xf_ffff_ffffn);
  if (samples === 0) return undefined;
  // The duration of uncompressed audio of this size is the upper bound.
  return Math.max(samples / rate, size * 8 / (rate * channels * bits));
}

/** Bit rates in kbit/s and sample rates in Hz: of MPEG-1, then of MPEG-2 and 2.5. */
const BIT_RATES = [
  [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
  [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
];
const SAMPLE_RATES = [44_100, 48_000, 32_000];
/** The highest bit rates that an encoder may choose for a frame. */
const MAX_BITS = 320_000;

interface Mp3Frame {
  readonly bits: number;
  readonly rate: number;
  readonly samples: number;
  /** The offsets at which the number of frames may be. */
  readonly info: number;
}

function mp3Seconds(bytes: Buffer, size: number): number | undefined {
  const at = bytes.toString("latin1", 0, 3) === "ID3" ? id3Size(bytes) : 0;
  const frame = frameAt(bytes, at);
  if (frame === undefined) return undefined;
  const length = (size - at) * 8;
  const tag = bytes.toString("latin1", at + frame.info, at + frame.info + 4);
  if (tag === "Xing" || tag === "Info") {
    const hasFrames = (bytes.readUInt32BE(at + frame.info + 4) & 1) !== 0;
    const frames = hasFrames ? bytes.readUInt32BE(at + frame.info + 8) : 0;
    if (frames === 0) return undefined;
    return Math.max(frames * frame.samples / frame.rate, length / MAX_BITS);
  }
  const next = frameAt(bytes, at + Math.floor(frame.samples / 8 * frame.bits / frame.rate)) ??
    frameAt(bytes, at + Math.floor(frame.samples / 8 * frame.bits / frame.rate) + 1);
  // Frames of different bit rates, without a frame count.
  return next?.bits === frame.bits ? length / frame.bits : undefined;
}

function id3Size(bytes: Buffer): number {
  const [a = 0, b = 0, c = 0, d = 0] = bytes.subarray(6, 10);
  const hasFooter = (bytes.readUInt8(5) & 0x10) !== 0;
  return 10 + ((a << 21) | (b << 14) | (c << 7) | d) + (hasFooter ? 10 : 0);
}

function isFrame(bytes: Buffer, at: number): boolean {
  return bytes.length >= at + 4 && frameAt(bytes, at) !== undefined;
}

/** A frame of layer III. */
function frameAt(bytes: Buffer, at: number): Mp3Frame | undefined {
  if (at + 4 > bytes.length) return undefined;
  const head = bytes.readUInt32BE(at);
  const version = head >>> 19 & 3;
  const isFirst = version === 3;
  const bits = BIT_RATES[isFirst ? 0 : 1]?.[(head >>> 12 & 15) - 1];
  const rate = SAMPLE_RATES[head >>> 10 & 3];
  const isLayer3 = (head >>> 21) === 0x7ff && (head >>> 17 & 3) === 1 && version !== 1;
  if (!isLayer3 || bits === undefined || rate === undefined) return undefined;
  const isMono = (head >>> 6 & 3) === 3;
  return {
    bits: bits * 1000,
    rate: rate / (isFirst ? 1 : version === 2 ? 2 : 4),
    samples: isFirst ? 1152 : 576,
    info: 4 + (isFirst ? isMono ? 17 : 32 : isMono ? 9 : 17),
  };
}

/** Only the last page has the number of samples, so the whole file is needed. */
function oggSeconds(bytes: Buffer, size: number): number | undefined {
  const first = 27 + bytes.readUInt8(26);
  const kind = bytes.toString("latin1", first, first + 8);
  if (kind.startsWith("\x7fFLAC")) return flacSeconds(bytes, first + 13, size);
  const isOpus = kind === "OpusHead";
  if (!isOpus && !kind.startsWith("\x01vorbis")) return undefined;
  // Opus counts at 48 kHz, whatever its input was (RFC 7845, section 4).
  const rate = isOpus ? 48_000 : bytes.readUInt32LE(first + 12);
  const last = bytes.length >= size ? bytes.lastIndexOf("OggS") : -1;
  if (last <= 0) return undefined;
  return Number(bytes.readBigInt64LE(last + 6)) / rate;
}

/** `moov/mvhd` of ISO base media files. */
function mp4Seconds(bytes: Buffer): number | undefined {
  const walk = (from: number, to: number): number | undefined => {
    for (let at = from; at + 8 <= to;) {
      const short = bytes.readUInt32BE(at);
      const name = bytes.toString("latin1", at + 4, at + 8);
      const length = short === 1 ? Number(bytes.readBigUInt64BE(at + 8)) : short;
      if (name === "moov") return walk(at + 8, bytes.length);
      if (name === "mvhd") return mvhdSeconds(bytes, at + 8);
      if (length < 8) return undefined;
      at += length;
    }
    return undefined;
  };
  return walk(0, bytes.length);
}

function mvhdSeconds(bytes: Buffer, at: number): number {
  return bytes.readUInt8(at) === 1
    ? Number(bytes.readBigUInt64BE(at + 24)) / bytes.readUInt32BE(at + 20)
    : bytes.readUInt32BE(at + 16) / bytes.readUInt32BE(at + 12);
}

/** IDs of EBML elements (https://www.rfc-editor.org/rfc/rfc9559, 2024-10). */
const SEGMENT = 0x18538067;
const INFO = 0x1549a966;
const DURATION = 0x4489;
const TIMESTAMP_SCALE = 0x2ad7b1;

function webmSeconds(bytes: Buffer): number | undefined {
  let scale = 1_000_000;
  let duration: number | undefined;
  const walk = (from: number, to: number): void => {
    for (let at = from; at < to;) {
      const id = readVarInt(bytes, at, false);
      const length = readVarInt(bytes, at + id.size, true);
      const start = at + id.size + length.size;
      if (id.value === SEGMENT) return walk(start, bytes.length);
      if (id.value === INFO) return walk(start, Math.min(bytes.length, start + length.value));
      if (id.value === TIMESTAMP_SCALE) scale = bytes.readUIntBE(start, length.value);
      if (id.value === DURATION) {
        duration = length.value === 4 ? bytes.readFloatBE(start) : bytes.readDoubleBE(start);
      }
      at = start + length.value;
    }
  };
  try {
    walk(0, bytes.length);
  } catch (thrown) {
    if (!(thrown instanceof RangeError)) throw thrown;
  }
  return duration === undefined ? undefined : duration * scale / 1e9;
}

/** An EBML number, with or without its length marker bits. */
function readVarInt(bytes: Buffer, at: number, isLength: boolean) {
  const first = bytes.readUInt8(at);
  const size = Math.clz32(first) - 23;
  if (size > 8) throw new RangeError("The number is too long");
  let value = isLength ? first & (0xff >> size) : first;
  for (let index = 1; index < size; index++) value = value * 256 + bytes.readUInt8(at + index);
  return { value, size };
}

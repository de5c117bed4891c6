/** The duration of audio by the beginning of its file, in files made for this. */

import { assertAlmostEquals, assertEquals } from "@std/assert";
import { Buffer } from "node:buffer";
import { audioSeconds } from "../../src/apis/transcriptions/audio_duration.ts";

const SECONDS = 600;

const u32 = (value: number) => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
};
const text = (value: string) => Buffer.from(value, "latin1");
const join = (...parts: readonly Uint8Array[]) => Buffer.concat(parts);

/** @param format 1 for PCM; others have their rate in the header */
function wav(rate: number, bits: number, { format = 1, claimed = 0, byteRate = 0 } = {}): Buffer {
  const head = Buffer.alloc(16);
  head.writeUInt16LE(format, 0);
  head.writeUInt16LE(1, 2);
  head.writeUInt32LE(rate, 4);
  head.writeUInt32LE(byteRate || rate * bits / 8, 8);
  head.writeUInt16LE(bits, 14);
  const size = Buffer.alloc(4);
  size.writeUInt32LE(claimed);
  const length = Buffer.from([16, 0, 0, 0]);
  const list = join(text("LIST"), Buffer.from([3, 0, 0, 0]), text("abc\0"));
  return join(
    text("RIFF"),
    size,
    text("WAVE"),
    list,
    text("fmt "),
    length,
    head,
    text("data"),
    size,
  );
}

function flac(samples: number, rate = 44_100): Buffer {
  const info = Buffer.alloc(34);
  const packed = BigInt(rate) << 44n | 0n << 41n | 15n << 36n | BigInt(samples);
  info.writeBigUInt64BE(packed, 10);
  return join(text("fLaC"), Buffer.from([0x80, 0, 0, 34]), info);
}

/** Frames of MPEG-1 layer III at 44.1 kHz, mono. @param index of the bit rate */
function mp3(index: number, tag?: Buffer): Buffer {
  const kbits = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128][index] ?? 0;
  const frame = Buffer.alloc(Math.floor(144_000 * kbits / 44_100));
  frame.set([0xff, 0xfb, index << 4, 0xc4]);
  const first = Buffer.from(frame);
  if (tag !== undefined) first.set(tag, 4 + 17);
  return join(first, frame, frame);
}

function mvhd(version: number, timescale: number, duration: number): Buffer {
  const times = version === 1 ? Buffer.alloc(16) : Buffer.alloc(8);
  const length = version === 1 ? join(u32(0), u32(duration)) : u32(duration);
  const content = join(Buffer.from([version, 0, 0, 0]), times, u32(timescale), length);
  const box = (name: string, inner: Uint8Array) => join(u32(8 + inner.length), text(name), inner);
  return join(
    box("ftyp", text("M4A \0\0\0\0")),
    box("free", Buffer.alloc(9)),
    box("moov", box("mvhd", content)),
  );
}

function webm(scale: number | undefined, duration: number | undefined): Buffer {
  const double = Buffer.alloc(8);
  double.writeDoubleBE(duration ?? 0);
  const info = join(
    ...(duration === undefined ? [] : [Buffer.from([0x44, 0x89, 0x88]), double]),
    ...(scale === undefined ? [] : [Buffer.from([0x2a, 0xd7, 0xb1, 0x84]), u32(scale)]),
    Buffer.from([0x4d, 0x80, 0x81, 0x61]),
  );
  return join(
    Buffer.from([0x1a, 0x45, 0xdf, 0xa3, 0x83, 1, 2, 3]),
    Buffer.from([0x18, 0x53, 0x80, 0x67, 0x01, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]),
    Buffer.from([0xec, 0x82, 0, 0]),
    Buffer.from([0x15, 0x49, 0xa9, 0x66, 0x80 | info.length]),
    info,
    Buffer.from([0x16, 0x54, 0xae, 0x6b, 0x81, 0]),
  );
}

function ogg(head: Buffer, samples: number): Buffer {
  const page = (granule: number, content: Buffer) => {
    const bytes = Buffer.alloc(28);
    bytes.write("OggS");
    bytes.writeBigInt64LE(BigInt(granule), 6);
    bytes.set([1, content.length], 26);
    return join(bytes, content);
  };
  return join(page(0, head), page(samples, Buffer.alloc(20)));
}

const opus = join(text("OpusHead"), Buffer.from([1, 1, 0, 0]), Buffer.alloc(7));
const vorbis = join(text("\x01vorbis"), Buffer.alloc(4), Buffer.from([1, 0x80, 0x3e, 0, 0]));
const xing = join(text("Xing"), u32(1), u32(Math.round(SECONDS * 44_100 / 1152)));
const id3 = join(text("ID3"), Buffer.from([4, 0, 0, 0, 0, 1, 2]), Buffer.alloc(130));

const KNOWN: readonly (readonly [name: string, head: Buffer, size?: number])[] = [
  ["WAV", wav(16_000, 16), SECONDS * 32_000],
  ["WAV of a lower rate", wav(8000, 8), SECONDS * 8000],
  ["WAV whose size is a lie", wav(16_000, 16, { claimed: 10 }), SECONDS * 32_000],
  ["WAV whose byte rate is a lie", wav(16_000, 16, { byteRate: 9e8 }), SECONDS * 32_000],
  ["WAV of A-law", wav(8000, 8, { format: 6 }), SECONDS * 8000],
  ["FLAC", flac(SECONDS * 44_100), 1000],
  ["MP3 of 32 kbit/s", mp3(1), SECONDS * 4000],
  ["MP3 of 128 kbit/s", mp3(9), SECONDS * 16_000],
  ["MP3 with a variable rate", mp3(9, xing), SECONDS * 3000],
  ["MP3 behind ID3", join(id3, mp3(1)), SECONDS * 4000],
  ["MP4", mvhd(0, 1000, SECONDS * 1000), 1e6],
  ["MP4 with long times", mvhd(1, 48_000, SECONDS * 48_000), 1e6],
  ["WebM", webm(undefined, SECONDS * 1000), 1e6],
  ["WebM with a scale", webm(1_000_000_000, SECONDS), 1e6],
  ["Ogg with Opus", ogg(opus, SECONDS * 48_000)],
  ["Ogg with Vorbis", ogg(vorbis, SECONDS * 16_000)],
];

for (const [name, head, size = head.length] of KNOWN) {
  Deno.test(`audioSeconds() reads ${name}`, () => {
    assertAlmostEquals(audioSeconds({ head, size }) ?? 0, SECONDS, SECONDS / 100);
  });
}

const UNKNOWN: readonly (readonly [name: string, head: Uint8Array, size: number])[] = [
  ["nothing", new Uint8Array(), 0],
  ["text", text("This is no audio file at all, whatever it says"), 1e6],
  ["FLAC without the number of samples", flac(0), 1e6],
  ["MP3 with frames of different rates", join(mp3(1).subarray(0, 104), mp3(9)), 1e6],
  ["MP3 behind a long ID3", id3.subarray(0, 12), 1e6],
  ["MP4 in fragments", mvhd(0, 1000, 0), 1e6],
  ["MP4 whose index is at its end", mvhd(0, 1000, 5).subarray(0, 30), 1e6],
  ["WebM of a recorder", webm(1_000_000, undefined), 1e6],
  ["Ogg whose end is not there", ogg(opus, 5), 1e6],
];

for (const [name, head, size] of UNKNOWN) {
  Deno.test(`audioSeconds() does not know ${name}`, () => {
    assertEquals(audioSeconds({ head, size }), undefined);
  });
}

Deno.test("audioSeconds() reads any head that is cut or broken without an error", () => {
  for (const [, whole] of KNOWN) {
    for (let end = 0; end < whole.length; end++) {
      audioSeconds({ head: whole.subarray(0, end), size: 1e6 });
      const broken = Uint8Array.from(whole);
      broken[end] = 0xff - (broken[end] as number);
      audioSeconds({ head: broken, size: 1e6 });
    }
  }
});

Deno.test("a head of compressed audio that claims a second is not believed beyond its format", () => {
  const size = SECONDS * 88_200;
  assertAlmostEquals(audioSeconds({ head: flac(1), size }) ?? 0, SECONDS, 1);
  const one = join(text("Xing"), u32(1), u32(38));
  assertAlmostEquals(audioSeconds({ head: mp3(9, one), size }) ?? 0, size / 40_000, 1);
});

/**
 * A stand-in for Deno's runtime for executables, which cannot be downloaded everywhere: a Linux
 * program of a few bytes. Like the runtime, it fails when run by itself. Once something is embedded
 * in it and it is called `sluice`, it prints a text, regardless of its arguments.
 */

/** Whether the machine code below runs here. */
export const CAN_FAKE_RUNTIME = Deno.build.os === "linux" && Deno.build.arch === "x86_64";

/** Writes the program to a path that does not end in `e`, the last letter of `sluice`. */
export function writeFakeRuntime(path: string, prints: string): void {
  const text = new TextEncoder().encode(prints);
  const code = codeFor(text.length);
  const bytes = new Uint8Array([...headFor(code.length + text.length), ...code, ...text]);
  Deno.writeFileSync(path, bytes, { mode: 0o755 });
}

/**
 * x86-64: if argv[0] ends in 'e', writes the text that follows the code and exits with 0, otherwise
 * with 1.
 */
function codeFor(length: number): number[] {
  const print = [
    ...[0xb8, 1, 0, 0, 0], // mov eax, 1 (write)
    ...[0xbf, 1, 0, 0, 0], // mov edi, 1 (standard output)
    ...[0x48, 0x8d, 0x35, 28, 0, 0, 0], // lea rsi, [rip + 28], where the text begins
    ...[0xba, length, 0, 0, 0], // mov edx, length
    ...[0x0f, 0x05], // syscall
    ...[0xb8, 60, 0, 0, 0], // mov eax, 60 (exit)
    ...[0x31, 0xff], // xor edi, edi
    ...[0x0f, 0x05], // syscall
  ];
  return [
    ...[0x48, 0x8b, 0x74, 0x24, 0x08], // mov rsi, [rsp + 8]
    ...[0xac, 0x84, 0xc0, 0x75, 0xfb], // lodsb, until it is NUL
    ...[0x80, 0x7e, 0xfe, "e".charCodeAt(0)], // cmp byte [rsi - 2], 'e'
    ...[0x75, print.length], // jne over the printing
    ...print,
    ...[0xb8, 60, 0, 0, 0], // mov eax, 60 (exit)
    ...[0xbf, 1, 0, 0, 0], // mov edi, 1
    ...[0x0f, 0x05], // syscall
  ];
}

const BASE = 0x40_0000n;
const HEAD_SIZE = 64 + 56;

/** The headers of an ELF file with one segment, which holds everything. */
function headFor(size: number): Uint8Array {
  const bytes = new Uint8Array(HEAD_SIZE);
  const view = new DataView(bytes.buffer);
  const whole = BigInt(HEAD_SIZE + size);
  bytes.set([0x7f, ...new TextEncoder().encode("ELF"), 2, 1, 1]);
  // Executable, x86-64, version 1; sizes of the headers, and their number.
  for (const [at, value] of [[16, 2], [18, 62], [20, 1], [52, 64], [54, 56], [56, 1], [58, 64]]) {
    view.setUint16(at ?? 0, value ?? 0, true);
  }
  // A segment that is loaded as readable and executable.
  for (const [at, value] of [[64, 1], [68, 5]]) view.setUint32(at ?? 0, value ?? 0, true);
  const wide: readonly (readonly [number, bigint])[] = [
    [24, BASE + BigInt(HEAD_SIZE)], // the entry
    [32, 64n], // where the segment's header is
    [80, BASE],
    [88, BASE],
    [96, whole],
    [104, whole],
    [112, 0x1000n],
  ];
  for (const [at, value] of wide) view.setBigUint64(at, value, true);
  return bytes;
}

/** The connected TCP sockets of this process, and whether they have `TCP_NODELAY`. */

/** A connected TCP socket of this process. */
export interface TcpSocket {
  readonly localPort: number;
  readonly remotePort: number;
  /** Whether it sends small packets at once. */
  readonly noDelay: boolean;
}

const SYMBOLS = {
  getsockname: { parameters: ["i32", "buffer", "buffer"], result: "i32" },
  getpeername: { parameters: ["i32", "buffer", "buffer"], result: "i32" },
  getsockopt: { parameters: ["i32", "i32", "i32", "buffer", "buffer"], result: "i32" },
} as const;

const LIBRARY = Deno.build.os === "darwin" ? "libSystem.B.dylib" : "libc.so.6";

/** These are the same on Linux and macOS. */
const IPPROTO_TCP = 6;
const TCP_NODELAY = 1;

const MAX_DESCRIPTORS = 1024;
const MAX_ADDRESS_BYTES = 128;

/** Whether {@linkcode readTcpSockets} works here. */
export function canReadTcpSockets(): boolean {
  try {
    Deno.dlopen(LIBRARY, SYMBOLS).close();
    return true;
  } catch {
    return false;
  }
}

/** Reads the sockets from the system. */
export function readTcpSockets(): TcpSocket[] {
  const library = Deno.dlopen(LIBRARY, SYMBOLS);
  const { symbols } = library;
  try {
    const portOf = (name: "getsockname" | "getpeername", descriptor: number) => {
      const address = new Uint8Array(MAX_ADDRESS_BYTES);
      const size = Uint32Array.of(address.length);
      if (symbols[name](descriptor, address, size) !== 0) return undefined;
      return new DataView(address.buffer).getUint16(2);
    };
    const sockets: TcpSocket[] = [];
    for (let descriptor = 0; descriptor < MAX_DESCRIPTORS; descriptor++) {
      const localPort = portOf("getsockname", descriptor);
      const remotePort = portOf("getpeername", descriptor);
      const value = new Int32Array(1);
      const size = Uint32Array.of(4);
      // Fails for other sockets.
      const isTcp = symbols.getsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, value, size) === 0;
      if (localPort === undefined || remotePort === undefined || !isTcp) continue;
      sockets.push({ localPort, remotePort, noDelay: value[0] !== 0 });
    }
    return sockets;
  } finally {
    library.close();
  }
}

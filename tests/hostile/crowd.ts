/** Many connections at once that do not do what a caller should. */

import { Wire } from "../bench/wire.ts";

/** Connections that are closed by leaving the scope. */
export class Crowd implements Disposable {
  readonly wires: Wire[] = [];

  /** Opens this many more, and sends each this text. */
  async add(port: number, count: number, text = ""): Promise<void> {
    const bytes = new TextEncoder().encode(text);
    const open = async () => {
      try {
        const wire = await Wire.open(port);
        this.wires.push(wire);
        if (bytes.length > 0) await wire.write(bytes);
      } catch {
        // The gateway, or the system, does not take it.
      }
    };
    await Promise.all(Array.from({ length: count }, open));
  }

  /** Sends each this text as well. */
  send(text: string): void {
    const bytes = new TextEncoder().encode(text);
    for (const wire of this.wires) void wire.write(bytes).catch(() => {});
  }

  /** How many of them the other side has closed within this time. */
  async closedWithin(ms: number): Promise<number> {
    let closed = 0;
    for (const wire of this.wires) {
      void (async () => {
        while (await wire.packet() !== undefined);
      })().catch(() => {}).then(() => closed++);
    }
    await new Promise((resolve) => setTimeout(resolve, ms));
    return closed;
  }

  [Symbol.dispose](): void {
    for (const wire of this.wires) wire.close();
  }
}

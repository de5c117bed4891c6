/** Many concurrent connections that misbehave. */

import { Wire } from "../bench/wire.ts";

/** Connections that are closed at the end of the scope. */
export class Crowd implements Disposable {
  readonly wires: Wire[] = [];

  /** Opens more connections and sends a text on each. */
  async add(port: number, count: number, text = ""): Promise<void> {
    const bytes = new TextEncoder().encode(text);
    const open = async () => {
      try {
        const wire = await Wire.open(port);
        this.wires.push(wire);
        if (bytes.length > 0) await wire.write(bytes);
      } catch {
        // The gateway or the system refuses it.
      }
    };
    await Promise.all(Array.from({ length: count }, open));
  }

  /** Sends a further text on each connection. */
  send(text: string): void {
    const bytes = new TextEncoder().encode(text);
    for (const wire of this.wires) void wire.write(bytes).catch(() => {});
  }

  [Symbol.dispose](): void {
    for (const wire of this.wires) wire.close();
  }
}

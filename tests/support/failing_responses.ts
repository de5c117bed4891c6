/**
 * Loaded before Sluice: a response with the model `fast` fails, as if there were a bug in Sluice.
 */

globalThis.Response = class extends Response {
  constructor(body?: BodyInit | null, init?: ResponseInit) {
    const text = body instanceof Uint8Array ? new TextDecoder().decode(body) : String(body);
    if (text.includes('"id":"fast"')) throw new RangeError("A planted bug");
    super(body, init);
  }
};

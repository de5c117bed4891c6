/**
 * Programs that pass requests and answers on: the runtime's floors for large bodies and for
 * streams. Arguments: its port, the upstream's, and how the body of a request is passed on: `bytes`
 * unchanged, `parsed` the same once it has been parsed, `written` anew from what was parsed.
 * Answers are passed on by a loop over their packets.
 */

const [port, upstream] = Deno.args.map(Number);
const way = Deno.args[2] ?? "bytes";

const encoder = new TextEncoder();
const decoder = new TextDecoder();

function toSent(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  if (way === "bytes") return bytes;
  const parsed = JSON.parse(decoder.decode(bytes));
  if (typeof parsed.model !== "string") throw new TypeError("The request names no model");
  return way === "written" ? encoder.encode(JSON.stringify(parsed)) : bytes;
}

Deno.serve({ hostname: "127.0.0.1", port: port ?? 0, onListen: () => {} }, async (request) => {
  const { pathname } = new URL(request.url);
  if (request.method === "GET") return new Response("ok");
  const headers = { "content-type": "application/json" };
  const url = `http://127.0.0.1:${upstream}${pathname}`;
  const answer = await fetch(url, { method: "POST", headers, body: toSent(await request.bytes()) });
  const reader = answer.body!.getReader();
  const body = new ReadableStream({
    async start(controller) {
      for (let packet = await reader.read(); !packet.done; packet = await reader.read()) {
        controller.enqueue(packet.value);
      }
      controller.close();
    },
    cancel: () => reader.cancel(),
  });
  return new Response(body, answer);
});

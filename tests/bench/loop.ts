/** A proxy with a simple loop over packets. Arguments: its port, the upstream's port. */

const [port, upstream] = Deno.args.map(Number);

Deno.serve({ hostname: "127.0.0.1", port: port ?? 0, onListen: () => {} }, async (request) => {
  const { pathname } = new URL(request.url);
  if (request.method === "GET") return new Response("ok");
  const headers = { "content-type": "application/json" };
  const url = `http://127.0.0.1:${upstream}${pathname}`;
  const answer = await fetch(url, { method: "POST", headers, body: request.body });
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

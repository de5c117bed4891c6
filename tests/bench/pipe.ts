/**
 * A proxy that only copies bytes: the limit of the runtime. Arguments: its port, the upstream's.
 */

const [port, upstream] = Deno.args.map(Number);

Deno.serve({ hostname: "127.0.0.1", port: port ?? 0, onListen: () => {} }, async (request) => {
  const { pathname } = new URL(request.url);
  if (request.method === "GET") return new Response("ok");
  const headers = { "content-type": "application/json" };
  const url = `http://127.0.0.1:${upstream}${pathname}`;
  const answer = await fetch(url, { method: "POST", headers, body: request.body });
  return new Response(answer.body, answer);
});

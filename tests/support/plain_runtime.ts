/** Loaded before the product: the runtime is one that serves no single connection. */

Reflect.deleteProperty(Reflect.get(Deno, Reflect.get(Deno, "internal")), "serveHttpOnConnection");

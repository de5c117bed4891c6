/** Loaded before Sluice: simulates a runtime that cannot serve single connections. */

Reflect.deleteProperty(Reflect.get(Deno, Reflect.get(Deno, "internal")), "serveHttpOnConnection");

/** PgBouncer in front of the PostgreSQL server of a test, with one connection per transaction. */

import { untilReply } from "./elapse.ts";
import { PASSWORD } from "./postgres.ts";

const PROGRAM = ["/usr/sbin/pgbouncer", "/usr/bin/pgbouncer"].find((path) => {
  try {
    return Deno.statSync(path).isFile;
  } catch {
    return false;
  }
});

export const HAS_PGBOUNCER = PROGRAM !== undefined;

/** The URL of a database through a pooler, which ends with its scope. */
export interface Pooler extends AsyncDisposable {
  url(database: string): string;
}

/**
 * Starts a pooler.
 *
 * @param port of the PostgreSQL server
 * @param size the number of connections to the server
 */
export async function startPgBouncer(port: number, size: number): Promise<Pooler> {
  const folder = await Deno.makeTempDir({ prefix: "sluice-pgbouncer-" });
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const own = listener.addr.port;
  listener.close();
  await Deno.writeTextFile(
    `${folder}/pgbouncer.ini`,
    `[databases]
* = host=127.0.0.1 port=${port} user=sluice password=${PASSWORD}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${own}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = ${size}
`,
  );
  await Deno.chmod(folder, 0o755);
  const isRoot = Deno.uid() === 0;
  const [program = "", ...args] = [
    ...(isRoot ? ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"] : []),
    ...[PROGRAM ?? "pgbouncer", `${folder}/pgbouncer.ini`],
  ];
  const child = new Deno.Command(program, {
    args,
    cwd: "/",
    stdin: "null",
    stdout: "null",
    stderr: "null",
  }).spawn();
  await untilReply(() => answers(own));
  return {
    url: (database) =>
      `postgres://sluice:${encodeURIComponent(PASSWORD)}@127.0.0.1:${own}/${database}`,
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await child.status;
      await Deno.remove(folder, { recursive: true });
    },
  };
}

async function answers(port: number): Promise<boolean> {
  try {
    (await Deno.connect({ hostname: "127.0.0.1", port })).close();
    return true;
  } catch {
    return false;
  }
}

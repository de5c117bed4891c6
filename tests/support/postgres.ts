/** A PostgreSQL server of the system's packages, on a free port of the loopback interface. */

import { freePort } from "./free_port.ts";

const ROOT = "/usr/lib/postgresql";
/** Milliseconds that the server has to start or to stop. */
const PATIENCE_MS = 120_000;

/** The folder of the server's programs; undefined if it is not installed. */
function findPrograms(): string | undefined {
  try {
    const versions = [...Deno.readDirSync(ROOT)].map(({ name }) => name)
      .sort((one, other) => Number(other) - Number(one));
    return versions.map((version) => `${ROOT}/${version}/bin`).find(exists);
  } catch (thrown) {
    if (thrown instanceof Deno.errors.NotFound) return undefined;
    throw thrown;
  }
}

function exists(folder: string): boolean {
  try {
    return Deno.statSync(`${folder}/initdb`).isFile && Deno.statSync(`${folder}/postgres`).isFile;
  } catch {
    return false;
  }
}

const PROGRAMS = findPrograms();

/** Whether tests can start a server. */
export const HAS_POSTGRES = PROGRAMS !== undefined;

/** The name of a test that needs a server. If the test is skipped, the name says why. */
export function withPostgres(name: string): string {
  return HAS_POSTGRES ? name : `${name} (needs PostgreSQL, which is not installed)`;
}

export class PostgresServer {
  readonly port: number;
  /** Its files; empty if another process owns the server. */
  readonly #directory: string;
  /** Options of the server's program. */
  #options: string;

  private constructor(directory: string, port: number) {
    this.#directory = directory;
    this.port = port;
    this.#options = `-p ${port} -h 127.0.0.1 -k '' -c fsync=off`;
  }

  /** Creates a server with the user `sluice`, the password `pass@word/1`, and starts it. */
  static async start(): Promise<PostgresServer> {
    const directory = await Deno.makeTempDir({ prefix: "sluice-postgres-" });
    await Deno.chmod(directory, 0o777);
    await Deno.writeTextFile(`${directory}/password`, PASSWORD);
    await run([
      ...[`${PROGRAMS}/initdb`, "-D", `${directory}/data`, "-U", "sluice", "--no-sync"],
      ...["-A", "scram-sha-256", `--pwfile=${directory}/password`, "-E", "UTF8", "--locale=C"],
    ]);
    const server = new PostgresServer(directory, freePort());
    await server.resume();
    return server;
  }

  /** A server that another process has started, and will stop. */
  static at(port: number): PostgresServer {
    return new PostgresServer("", port);
  }

  /** Starts the server again. */
  async resume(): Promise<void> {
    await run([
      ...[`${PROGRAMS}/pg_ctl`, "-D", `${this.#directory}/data`, "-w", "-t", "60"],
      ...["-l", `${this.#directory}/log`, "-o", this.#options, "start"],
    ]);
  }

  /** Starts the server again with TLS and this certificate of tests/support/tls. */
  async resumeWithTls(name: string): Promise<void> {
    for (const [from, to] of [[`${name}.pem`, "server.crt"], [`${name}.key.pem`, "server.key"]]) {
      const copy = `${this.#directory}/${to}`;
      await Deno.writeTextFile(
        copy,
        await Deno.readTextFile(new URL(`tls/${from}`, import.meta.url)),
      );
      await Deno.chmod(copy, 0o644);
      await run(["install", "-m", "600", copy, `${this.#directory}/data/${to}`]);
    }
    this.#options += " -c ssl=on";
    await this.resume();
  }

  /** Ends the server at once, as a crash does. */
  async kill(): Promise<void> {
    await run([
      ...[`${PROGRAMS}/pg_ctl`, "-D", `${this.#directory}/data`, "-w", "-m", "immediate", "stop"],
    ]);
  }

  /** The URL of a database. */
  url(database: string, host = "127.0.0.1", password = PASSWORD): string {
    const login = `sluice:${encodeURIComponent(password)}`;
    return `postgres://${login}@${host}:${this.port}/${database}`;
  }

  /** Creates an empty database. Returns its URL. */
  async createDatabase(name: string): Promise<string> {
    await run([
      ...[`${PROGRAMS}/createdb`, "-h", "127.0.0.1", "-p", String(this.port), "-U", "sluice", name],
    ]);
    return this.url(name);
  }

  /** Everything in a database, as text. */
  async dump(database: string): Promise<string> {
    return await run([
      ...[`${PROGRAMS}/pg_dump`, "-h", "127.0.0.1", "-p", String(this.port), "-U", "sluice"],
      database,
    ]);
  }

  async stop(): Promise<void> {
    if (this.#directory === "") return;
    await this.kill();
    await Deno.remove(this.#directory, { recursive: true });
  }
}

/** The password of the user. */
export const PASSWORD = "pass@word/1";

/** Runs a program as a user that is not root, whom PostgreSQL refuses. */
async function run(command: readonly string[]): Promise<string> {
  const [program = "", ...args] = isRoot()
    ? ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups", ...command]
    : command;
  const { success, stdout, stderr } = await new Deno.Command(program, {
    args,
    cwd: "/",
    env: { PGPASSWORD: PASSWORD },
    stdin: "null",
    signal: AbortSignal.timeout(PATIENCE_MS),
  }).output();
  const decoder = new TextDecoder();
  if (!success) throw new Error(`${command[0]} failed: ${decoder.decode(stderr)}`);
  return decoder.decode(stdout);
}

/** Files of the process belong to its user. */
function isRoot(): boolean {
  const path = Deno.makeTempFileSync();
  const { uid } = Deno.statSync(path);
  Deno.removeSync(path);
  return uid === 0;
}

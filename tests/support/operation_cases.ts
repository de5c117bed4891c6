/**
 * Every vendor's API for an operation against cases: what a caller sends, a vendor's answer, and
 * the goldens of what is sent and answered. With UPDATE_GOLDENS=1 the goldens are written instead,
 * to be read before they are committed.
 */

import { assert, assertEquals } from "@std/assert";
import { fileURLToPath } from "node:url";
import { hasOperation, type OtherOperation } from "../../src/contract/operations.ts";
import { adapters } from "../../src/providers/registry.ts";
import { configOf } from "./fixtures.ts";
import { createTestGateway, VENDOR_KEY } from "./gateway.ts";
import { TOKEN_URI } from "./service_account.ts";
import { sentText } from "./sent_text.ts";

const UPDATE = Deno.env.get("UPDATE_GOLDENS") === "1";

interface Case {
  readonly about: {
    readonly origin: "docs";
    readonly model: string | Record<string, unknown>;
    readonly provider?: Record<string, unknown>;
    /** False for a case that fails before anything is sent. */
    readonly sent?: boolean;
  };
  readonly request: Record<string, unknown>;
  readonly upstream?: {
    readonly status: number;
    readonly headers: Record<string, string>;
    readonly body: unknown;
  };
  readonly sent?: unknown;
  readonly answer?: unknown;
}

/** Whose cases they are. */
interface OperationCases {
  /** The operation's name in titles. */
  readonly name: string;
  /** A folder with a folder for each kind. */
  readonly root: URL;
  readonly path: string;
  readonly operation: OtherOperation;
}

/** Registers the tests of all cases of an operation. */
export function testCases({ name, operation, root, path: endpoint }: OperationCases): void {
  const folder = fileURLToPath(root);
  const kinds = [...Deno.readDirSync(folder)].map(({ name }) => name).sort();

  Deno.test(`every kind that has ${name} has cases, and no other`, () => {
    const having = [...adapters.values()].filter((adapter) =>
      hasOperation(adapter, operation) && adapter.simulated !== true
    );
    assertEquals(kinds, having.map(({ kind }) => kind).sort());
  });

  for (const kind of kinds) {
    for (const { name } of [...Deno.readDirSync(`${folder}${kind}`)].sort(byName)) {
      const title = `${kind} ${operation}, ${name.replace(".json", "")}`;
      Deno.test(`${title}: what is sent and answered are the goldens`, async () => {
        const path = `${folder}${kind}/${name}`;
        const given: Case = JSON.parse(Deno.readTextFileSync(path));
        const { sent, answer } = await run(kind, given, endpoint);
        assertEquals(sent !== undefined, given.about.sent ?? true, "sent, as the case says");
        if (UPDATE) {
          const golden = { ...given, ...(sent !== undefined && { sent }), answer };
          return Deno.writeTextFileSync(path, JSON.stringify(golden, null, 2) + "\n");
        }
        assert(given.answer !== undefined, `${path} has no golden; run with UPDATE_GOLDENS=1`);
        assertEquals(sent, given.sent);
        assertEquals(answer, given.answer);
      });
    }
  }
}

function byName(one: Deno.DirEntry, other: Deno.DirEntry): number {
  return one.name < other.name ? -1 : 1;
}

async function run(
  vendor: string,
  given: Case,
  path: string,
): Promise<{ sent: unknown; answer: unknown }> {
  let sent: unknown;
  const { upstream } = given;
  const gateway = createTestGateway({
    config: configOf({ vendor, about: given.about } as never),
    fetch: (url, init) => {
      if (url === TOKEN_URI) return Promise.resolve(Response.json({ access_token: VENDOR_KEY }));
      const { authorization, "x-goog-api-key": goog, "api-key": azure, "xi-api-key": eleven } =
        init.headers;
      const signed = [authorization, goog, azure, eleven].find((value) => value !== undefined);
      sent = {
        url,
        signed: signed?.replaceAll(VENDOR_KEY, "<key>"),
        body: JSON.parse(sentText(init.body)),
      };
      const { status = 500, headers = {}, body } = upstream ?? {};
      return Promise.resolve(new Response(JSON.stringify(body), { status, headers }));
    },
  });
  const response = await gateway.call(path, given.request, { "x-request-id": "req_test" });
  const text = await response.text();
  assertEquals(gateway.bugs, []);
  assertEquals(gateway.clock.pending, 0, "a timer was left behind");
  const headers = Object.fromEntries(
    [...response.headers].filter(([name]) => /^x-sluice-(?:ignored|converted)$/.test(name)),
  );
  return { sent, answer: { status: response.status, headers, body: JSON.parse(text) } };
}

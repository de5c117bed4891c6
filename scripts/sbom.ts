/** Prints the software bill of materials as CycloneDX 1.6: the packages that main.ts imports. */

import { fileURLToPath } from "node:url";
import manifest from "../deno.json" with { type: "json" };

const ROOT = fileURLToPath(new URL("../", import.meta.url));

/** The module graph of `deno info`. */
interface Info {
  readonly modules: readonly { readonly specifier: string }[];
  readonly npmPackages: Readonly<
    Record<string, Omit<Package, "id"> & { readonly dependencies: readonly string[] }>
  >;
}

export interface Package {
  /** The ID in the lock file: the name, the version, and those of peers. */
  readonly id: string;
  readonly name: string;
  readonly version: string;
}

/** The source files by path, and the packages that they import. */
export interface Graph {
  readonly files: ReadonlySet<string>;
  readonly packages: readonly Package[];
}

/** Reads the imports of a file: `deno info` also lists other packages of the lock file. */
async function readInfo(path: string): Promise<Info> {
  const { stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["info", "--json", `${ROOT}${path}`],
    stderr: "inherit",
  }).output();
  return JSON.parse(new TextDecoder().decode(stdout)) as Info;
}

/** Reads the imports of src/main.ts, and the packages in the files of the console. */
export async function readGraph(): Promise<Graph> {
  const { modules, npmPackages } = await readInfo("src/main.ts");
  const page = await readInfo("src/console/assets/main.js");
  const known = new Map(Object.entries({ ...npmPackages, ...page.npmPackages }));
  const base = new URL("../", import.meta.url).href;
  const files = new Set<string>();
  const reached = new Map<string, Package>();
  const reach = (id: string): void => {
    const found = known.get(id);
    if (found === undefined || reached.has(id)) return;
    reached.set(id, { id, name: found.name, version: found.version });
    found.dependencies.forEach(reach);
  };
  for (const { specifier } of modules) {
    if (specifier.startsWith(base)) files.add(specifier.slice(base.length));
  }
  for (const { specifier } of [...modules, ...page.modules]) {
    const [, id] = /^npm:\/?((?:@[^/]+\/)?[^/@]+@[^/]+)/.exec(specifier) ?? [];
    if (id !== undefined) reach(id);
  }
  return { files, packages: [...reached.values()] };
}

/** The bill of materials. It is deterministic for a lock file. */
export async function toSbom(): Promise<Record<string, unknown>> {
  const { packages } = await readGraph();
  const lock = JSON.parse(await Deno.readTextFile(`${ROOT}deno.lock`));
  const digests = new Map<string, { integrity?: string }>(Object.entries(lock.npm));
  const runtime = {
    type: "framework",
    name: "deno",
    version: Deno.version.deno,
    purl: `pkg:github/denoland/deno@v${Deno.version.deno}`,
  };
  return {
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    version: 1,
    metadata: {
      component: {
        type: "application",
        name: "sluice",
        version: manifest.version,
        licenses: [{ license: { id: manifest.license } }],
      },
    },
    components: [runtime, ...packages.map((found) => toComponent(found, digests))],
  };
}

function toComponent(
  { id, name, version }: Package,
  digests: ReadonlyMap<string, { readonly integrity?: string }>,
): Record<string, unknown> {
  const integrity = digests.get(id)?.integrity;
  const digest = integrity?.startsWith("sha512-") ? integrity.slice("sha512-".length) : undefined;
  return {
    type: "library",
    name,
    version,
    purl: `pkg:npm/${name.replace("@", "%40")}@${version}`,
    ...(digest !== undefined && {
      hashes: [{ alg: "SHA-512", content: Uint8Array.fromBase64(digest).toHex() }],
    }),
  };
}

if (import.meta.main) {
  const text = JSON.stringify(await toSbom(), null, 2);
  Deno.stdout.writeSync(new TextEncoder().encode(`${text}\n`));
}

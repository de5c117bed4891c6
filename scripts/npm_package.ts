/**
 * Writes the npm package `sluice-gateway` into dist/npm, or into the folder of the first argument:
 * a bundle of src/main.ts with its source maps, and a launcher that runs it in the Deno of the npm
 * package `deno`, with the options of `deno task start`. `npm pack` makes a tarball of the folder;
 * nothing is published here.
 */

import { fileURLToPath } from "node:url";
import manifest from "../deno.json" with { type: "json" };
import { bundle, ENGINE, PERMISSIONS, UNSTABLE } from "./compile.ts";

const ROOT = fileURLToPath(new URL("../", import.meta.url));

/** The name of the package, and of its command. */
export const NAME = "sluice-gateway";

/** The options of Deno before the bundle. No other module is loaded, and nothing is prompted for. */
export const OPTIONS: readonly string[] = [
  ...["run", "--no-config", "--no-lock", "--no-remote", "--no-npm", "--no-prompt", "--deny-import"],
  ...[...UNSTABLE, ...ENGINE, ...PERMISSIONS],
];

/** The package's own manifest. The runtime is the version that builds and tests use. */
export function toPackageJson(): Record<string, unknown> {
  return {
    name: NAME,
    version: manifest.version,
    description: "A model gateway: one API for the models of many vendors",
    license: manifest.license,
    bin: { [NAME]: "bin.cjs" },
    type: "module",
    files: ["bin.cjs", "bundle", "options.json"],
    engines: { node: ">=18" },
    dependencies: { deno: Deno.version.deno },
  };
}

const README = `# sluice-gateway

Sluice is a model gateway: one executable between your clients and the model vendors.

    npx sluice-gateway            # start it, with ./config.yaml if it exists
    npx sluice-gateway init       # print a configuration
    npx sluice-gateway --help

The package holds one bundle. Its only dependency is Deno ${Deno.version.deno}, which runs it, on Linux
(glibc), macOS and Windows.
`;

/** Writes the package into a folder, which it creates. */
export async function writePackage(folder: string): Promise<void> {
  await Deno.mkdir(folder, { recursive: true });
  const write = (name: string, text: string) => Deno.writeTextFile(`${folder}/${name}`, text);
  await bundle(`${folder}/bundle`);
  await Deno.copyFile(`${ROOT}scripts/npm_launcher.cjs`, `${folder}/bin.cjs`);
  await Deno.copyFile(`${ROOT}LICENSE`, `${folder}/LICENSE`);
  await write("options.json", `${JSON.stringify(OPTIONS)}\n`);
  await write("package.json", `${JSON.stringify(toPackageJson(), null, 2)}\n`);
  await write("README.md", README);
}

if (import.meta.main) await writePackage(Deno.args[0] ?? `${ROOT}dist/npm`);

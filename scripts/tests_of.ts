/** Which tests concern a file. Programs are left out. */

const PROGRAM_TEST = /_program_test\.ts$/;
const IMPORTS = /\b(?:from|import)\s*\(?\s*"(\.[^"]+)"/g;

function isThere(path: string): boolean {
  try {
    Deno.statSync(path);
    return true;
  } catch {
    return false;
  }
}

/**
 * The test files and folders of files: for a file of src, the nearest folder of the same name in
 * tests; for a test, itself; for what tests of a folder share, that folder.
 *
 * @param root the folder of the checkout, with a slash at its end
 */
export function testsOf(files: readonly string[], root: string): string[] {
  const found = files.flatMap((file) => {
    if (file.startsWith("tests/support/")) return [];
    if (file.startsWith("tests/fixtures/")) return ["tests/providers/fixtures_test.ts"];
    if (file.endsWith("_test.ts")) return PROGRAM_TEST.test(file) ? [] : [file];
    if (!/^(?:src|tests)\/.*\.(?:ts|js)$/.test(file)) return [];
    let folder = file.replace(/^src\//, "tests/");
    do folder = folder.slice(0, folder.lastIndexOf("/")); while (!isThere(root + folder));
    return folder === "tests" ? [] : [folder];
  });
  const kept = new Set(found);
  return [...kept].filter((one) => ![...kept].some((other) => one.startsWith(`${other}/`)));
}

/** The test files below a folder, but those of programs. */
function testFiles(root: string, folder: string): string[] {
  return [...Deno.readDirSync(root + folder)].flatMap(({ name, isDirectory }) => {
    const path = `${folder}/${name}`;
    if (isDirectory) return name === "fixtures" ? [] : testFiles(root, path);
    return name.endsWith("_test.ts") && !PROGRAM_TEST.test(name) ? [path] : [];
  });
}

/** The test files that import a file or are named after it; if there are none, its folder of tests. */
export function testsThatImport(file: string, root: string): string[] {
  const [name = ""] = file.match(/[^/]+(?=\.ts$)/) ?? [];
  const importers = testFiles(root, "tests").filter((test) => {
    if (test.endsWith(`/${name}_test.ts`)) return true;
    const text = Deno.readTextFileSync(root + test);
    return [...text.matchAll(IMPORTS)].some(([, from = ""]) =>
      new URL(from, `file:///${test}`).pathname.slice(1) === file
    );
  });
  return importers.length > 0 ? importers : testsOf([file], root);
}

/** Which tests concern a file. Programs are left out. */

const PROGRAM_TEST = /_program_test\.ts$/;
/** The cases of every vendor. */
const FIXTURES = "tests/providers/fixtures_test.ts";
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
 * tests, or the tests that import its folder where that has none; for a test, itself; for what
 * tests of a folder share, that folder. The fixtures belong to every vendor.
 *
 * @param root the folder of the checkout, with a slash at its end
 */
export function testsOf(files: readonly string[], root: string): string[] {
  const found = files.flatMap((file) => {
    if (file.startsWith("tests/support/")) return [];
    if (file.startsWith("tests/fixtures/")) return [FIXTURES];
    if (file.endsWith("_test.ts")) return PROGRAM_TEST.test(file) ? [] : [file];
    if (!/^(?:src|tests)\/.*\.(?:ts|js)$/.test(file)) return [];
    let folder = file.replace(/^src\//, "tests/");
    do folder = folder.slice(0, folder.lastIndexOf("/")); while (!isThere(root + folder));
    const vendor = file.startsWith("src/providers/") ? [FIXTURES] : [];
    if (folder !== "tests" && testFiles(root, folder).length > 0) return [folder, ...vendor];
    return /^src\/.+\//.test(file)
      ? importersOf(file.slice(0, file.lastIndexOf("/") + 1), root)
      : [];
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
  const named = testFiles(root, "tests").filter((test) => test.endsWith(`/${name}_test.ts`));
  const importers = [...new Set([...named, ...importersOf(file, root)])];
  return importers.length > 0 ? importers : testsOf([file], root);
}

/** The test files that import a file, or any of a folder with a slash at its end. */
function importersOf(path: string, root: string): string[] {
  return testFiles(root, "tests").filter((test) =>
    [...Deno.readTextFileSync(root + test).matchAll(IMPORTS)].some(([, from = ""]) => {
      const imported = new URL(from, `file:///${test}`).pathname.slice(1);
      return path.endsWith("/") ? imported.startsWith(path) : imported === path;
    })
  );
}

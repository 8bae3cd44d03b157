import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, it, vi } from "vitest";
import { MANIFEST_FILE } from "./own-package.ts";

// If a build ran meanwhile, gateways of other tests in this process may have reported a changed installation.
vi.resetModules();
const { InstallationError, installationChanged, checkInstallation } = await import(
  "./installation.ts"
);
const { lateImport, loadLateImports } = await import("./late-import.ts");

const OWN = dirname(MANIFEST_FILE);
const GONE = join(OWN, "dist/chunks/no-such-file.js");
const withCode = (code: string, message: string, more: object = {}): Error =>
  Object.assign(new Error(message), { code, ...more });
const notFound = (file: string, importer = MANIFEST_FILE, more: object = {}): Error =>
  withCode("ERR_MODULE_NOT_FOUND", `Cannot find module '${file}' imported from ${importer}`, more);

it.each<[string, unknown]>([
  ["nothing", undefined],
  ["a text", `Cannot find module '${GONE}'`],
  ["a message that looks like it, without a code", new Error(`Cannot find module '${GONE}'`)],
  ["another code", withCode("ERR_INVALID_ARG", `Cannot find module '${GONE}'`)],
  ["a file of somebody else", notFound("/srv/app/no-such-file.js")],
  [
    "a package that is not installed",
    withCode("ERR_MODULE_NOT_FOUND", `Cannot find package 'pg' imported from ${MANIFEST_FILE}`),
  ],
  ["a file that is there", notFound(MANIFEST_FILE)],
  ["a folder with a name that begins like ours", notFound(`${OWN}-other/no-such-file.js`)],
  ["a missing file of a user", withCode("ENOENT", "no such file", { path: "/srv/no-such-file" })],
  ["an error of a module itself", new SyntaxError("the module has no export named x")],
])("is not a changed installation: %s", (_, error) => {
  expect(checkInstallation(error)).toBeUndefined();
  expect(installationChanged.aborted).toBe(false);
});

it("loads a late module once, and again after it failed", async () => {
  let times = 0;
  const load = lateImport(async () => {
    times += 1;
    if (times === 1) throw new Error("no");
    return times;
  });
  await expect(load()).rejects.toThrow("no");
  expect([await load(), await load(), times]).toEqual([2, 2, 2]);
});

it("loads after the start what may be needed, and what is rare only on use", async () => {
  const loaded: string[] = [];
  const late = lateImport(async () => void loaded.push("late"));
  const rare = lateImport(async () => void loaded.push("rare"), { isRare: true });
  await loadLateImports();
  expect(loaded).toEqual(["late"]);
  await Promise.all([late(), rare(), rare()]);
  expect(loaded).toEqual(["late", "rare"]);
});

it("is noticed by the error of a late import, or of a thread", async () => {
  const errors = [
    notFound(GONE),
    notFound("x", GONE),
    notFound("x", "x", { url: pathToFileURL(GONE).href }),
    withCode("MODULE_NOT_FOUND", `Cannot find module '${GONE}'`),
    withCode("ENOENT", "no such file", { path: GONE }),
    notFound(join(dirname(OWN), "core/dist/no-such-file.js")),
  ];
  for (const error of errors) {
    const load = lateImport(() => Promise.reject(error));
    await expect(load()).rejects.toThrow(InstallationError);
  }
  expect(installationChanged.reason).toMatchObject({
    code: "INSTALLATION_CHANGED",
    message: `the installation of touchstone changed while this process ran (${GONE} is missing); restart it`,
  });
});

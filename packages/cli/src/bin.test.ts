import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished } from "vitest";

const BIN = fileURLToPath(new URL("../bin/touchstone.js", import.meta.url));

/** Runs a copy of the command next to these files. */
function copied(files: Readonly<Record<string, string>>) {
  const dir = mkdtempSync(join(tmpdir(), "touchstone-bin-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  for (const folder of ["bin", "dist"]) mkdirSync(join(dir, folder));
  writeFileSync(join(dir, "package.json"), '{"type":"module"}');
  for (const [path, text] of Object.entries(files)) writeFileSync(join(dir, path), text);
  const bin = join(dir, "bin", "touchstone.js");
  copyFileSync(BIN, bin);
  const { status, stdout, stderr } = spawnSync(process.execPath, [bin, "x"], { encoding: "utf8" });
  return { status, stdout, stderr };
}

it("reports that it is not built", () => {
  const stderr = "touchstone is not built; run npm run build\n";
  expect(copied({})).toEqual({ status: 3, stdout: "", stderr });
});

it("runs the built program with its arguments", () => {
  const main = "process.stdout.write(process.argv[2]); process.exitCode = 7;";
  expect(copied({ "dist/main.js": main })).toEqual({ status: 7, stdout: "x", stderr: "" });
});

it("reports a missing module as a broken installation, not as a missing build", () => {
  const { status, stderr } = copied({ "dist/main.js": 'import "./gone.js";' });
  expect(status).toBe(3);
  expect(stderr).toMatch(
    /^touchstone: the program cannot be loaded: .*gone\.js.*; install it again.*\n$/,
  );
  expect(stderr).not.toContain("not built");
});

it("suggests a higher limit if it cannot open another file", () => {
  const main = 'throw Object.assign(new Error("EMFILE: too many open files"), { code: "EMFILE" });';
  const stderr =
    "touchstone: the program cannot be loaded: EMFILE: too many open files; raise the limit of open files (ulimit -n)\n";
  expect(copied({ "dist/main.js": main })).toEqual({ status: 3, stdout: "", stderr });
});

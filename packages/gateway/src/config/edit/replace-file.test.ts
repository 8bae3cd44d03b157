import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { replaceFile } from "./replace-file.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "touchstone-edit-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it("replaces the content and keeps the mode", () => {
  const file = join(folder, "touchstone.json");
  writeFileSync(file, "old");
  chmodSync(file, 0o640);
  const { ino } = statSync(file);
  replaceFile(file, "new – é");
  expect(readFileSync(file, "utf8")).toBe("new – é");
  expect(statSync(file).mode & 0o777).toBe(0o640);
  // The content is in a new file under the same name, so a reader never sees half of it.
  expect(statSync(file).ino).not.toBe(ino);
  expect(readdirSync(folder)).toEqual(["touchstone.json"]);
});

it("writes through symbolic links and keeps them", () => {
  mkdirSync(join(folder, "real"));
  const target = join(folder, "real", "a.json");
  const link = join(folder, "touchstone.json");
  writeFileSync(target, "old");
  symlinkSync(join("real", "a.json"), link);
  replaceFile(link, "new");
  expect(lstatSync(link).isSymbolicLink()).toBe(true);
  expect(readFileSync(target, "utf8")).toBe("new");
  expect(readdirSync(join(folder, "real"))).toEqual(["a.json"]);
});

it("leaves no temporary file if it fails", () => {
  const target = join(folder, "directory");
  mkdirSync(target);
  expect(() => replaceFile(target, "new")).toThrow();
  expect(() => replaceFile(join(folder, "missing"), "new")).toThrow(/ENOENT/);
  expect(readdirSync(folder)).toEqual(["directory"]);
});

import { homedir, userInfo } from "node:os";
import { join, resolve } from "node:path";
import { afterEach, expect, it } from "vitest";
import { resolveDataDir } from "./data-dir.ts";

const { HOME } = process.env;
afterEach(() => {
  if (HOME === undefined) delete process.env["HOME"];
  else process.env["HOME"] = HOME;
});

it("is that of the option, else that of the variable", () => {
  const env = { TOUCHSTONE_DATA_DIR: "b" };
  expect(resolveDataDir({ dataDir: "a" }, env)).toBe(resolve("a"));
  expect(resolveDataDir({}, env)).toBe(resolve("b"));
});

it("is below the home directory by default", () => {
  expect(resolveDataDir({}, { TOUCHSTONE_DATA_DIR: "" })).toBe(join(homedir(), ".touchstone"));
});

it.runIf(process.platform !== "win32").each(["", "relative"])(
  "is below the system's home directory if HOME is %j",
  (home) => {
    process.env["HOME"] = home;
    expect(resolveDataDir({}, {})).toBe(join(userInfo().homedir, ".touchstone"));
  },
);

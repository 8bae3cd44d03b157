import { describe, expect, it } from "vitest";
import { inheritedEnvironment, serverEnvironment } from "./child-environment.ts";

describe("the environment of a configured server", () => {
  const environment = { PATH: "/bin", SECRET: "s", TEMP: "t", TMPDIR: "() { :; }" };

  it("has the common variables and those of its entry", () => {
    expect(serverEnvironment(environment, { KEY: "k", PATH: "/opt" }, "linux")).toMatchObject({
      KEY: "k",
      PATH: "/opt",
    });
    const names = Object.keys(serverEnvironment(environment, { KEY: "k" }, "linux"));
    expect(names).toContain("PATH");
    expect(names).not.toContain("SECRET");
    expect(names).not.toContain("TMPDIR");
  });

  it("has each variable once on Windows, where names ignore case", () => {
    expect(serverEnvironment(environment, { Path: "C:\\tools" }, "win32")).not.toHaveProperty(
      "PATH",
    );
    expect(serverEnvironment(environment, { Path: "/opt" }, "linux")).toMatchObject({
      PATH: "/bin",
      Path: "/opt",
    });
  });
});

it("a command run for the user inherits everything but Touchstone's variables", () => {
  const environment = { HOME: "/h", TOUCHSTONE_API_KEY: "k", touchstone_x: "x", NONE: undefined };
  expect(inheritedEnvironment(environment)).toEqual({ HOME: "/h" });
});

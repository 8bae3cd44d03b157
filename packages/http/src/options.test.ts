import { describe, expect, it } from "vitest";
import { createHandler, createNodeHandler, OptionError } from "./index.ts";
import { readOptions } from "./options.ts";

const BAD: readonly (readonly [option: string, value: unknown])[] = [
  ["allowExecute", "yes"],
  ["allowExecute", 1],
  ["authHook", "secret"],
  ["title", 5],
  ["projectUrl", {}],
  ["prefix", ["/a"]],
  ["maxBodyBytes", 0],
  ["maxBodyBytes", "4mb"],
  ["maxBodyBytes", Number.POSITIVE_INFINITY],
  ["toolErrorStatus", 99],
  ["toolErrorStatus", 204],
  ["toolErrorStatus", 600],
  ["toolErrorStatus", 200.5],
  ["callTimeoutMs", 0],
  ["callTimeoutMs", 1.5],
  ["callTimeoutMs", 2 ** 31],
  ["hostTimeoutMs", 0],
  ["hostTimeoutMs", Number.POSITIVE_INFINITY],
  ["paths", "both"],
  ["maxIssues", -1],
  ["console", {}],
  ["gateway", "/"],
  ["gateway", "../.."],
  ["gateway", "https://evil.example/"],
  ["gateway", ""],
  ["whyMissing", "x"],
  ["onRefused", {}],
  ["onRepaired", {}],
  ["repair", "none"],
  ["repair", ["safe", 1]],
  ["repair", true],
  ["checks", []],
  ["checks", { rules: { extras: "warning" } }],
  ["checks", { rules: { policy: "ignore" } }],
  ["checks", { rules: { "/a~3": "ignore" } }],
  ["checks", { rules: { "/a": "off" } }],
  ["checks", { undeclared: "violation" }],
  ["checks", { undeclared: { treat: "ignore" } }],
  ["onFault", true],
];

describe("options", () => {
  it("have the documented defaults", () => {
    for (const config of [undefined, {}, { title: undefined, authHook: undefined }]) {
      expect(readOptions(config)).toMatchObject({
        allowExecute: false,
        title: "MCP Tool Explorer",
        prefix: "",
        maxBodyBytes: 4_194_304,
        toolErrorStatus: 500,
        callTimeoutMs: undefined,
        hostTimeoutMs: 30_000,
        paths: "field",
        maxIssues: 1000,
      });
    }
  });

  it.each(BAD)("%s cannot be %j", (option, value) => {
    const error = new RegExp(`^${option} must be `);
    const config = { [option]: value };
    expect(() => createHandler([], () => [[], false], config)).toThrow(error);
    expect(() => createNodeHandler([], () => [[], false], config)).toThrow(OptionError);
  });

  it.each([
    ["authhook", "authHook"],
    ["auth_hook", "authHook"],
    ["allow_execute", "allowExecute"],
    ["maxBodyByte", "maxBodyBytes"],
    ["path", "paths"],
  ])("suggest for %s the name %s", (name, meant) => {
    const make = (): unknown => createHandler([], () => [[], false], { [name]: undefined });
    expect(make).toThrow(OptionError);
    expect(make).toThrow(`${name} is not an option; ${meant} is`);
  });

  it("allow names that belong to something else", () => {
    expect(readOptions({ description: "d", port: 1, auth: true } as object)).toEqual(
      readOptions({}),
    );
  });

  it.each([
    [undefined, "a value of type undefined"],
    [{ get_weather: {} }, "a value of type object"],
    ["get_weather", '"get_weather"'],
  ])("require tools: %j are none", (tools, found) => {
    expect(() => createHandler(tools as never, () => [[], false])).toThrow(
      `tools must be a list of tools, or a function that returns one, not ${found}`,
    );
  });

  it("require a function that runs tools", () => {
    expect(() => createHandler([], undefined as never)).toThrow("handleCall must be a function");
    expect(() => createHandler([], () => [[], false], "x" as never)).toThrow(OptionError);
  });
});

import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { SectionSetting } from "./section-setting.ts";

const strayArguments: SectionSetting = {
  keys: {
    input_validation: {
      stray_arguments: {
        schema: {
          enum: ["forward", "violation"],
          default: "forward",
          description: "Arguments astray",
        },
        notesTool: true,
        option: true,
        mayBlockMore: (value) => value === "violation",
        control: { label: "Stray arguments", help: "Of a call.", words: ["forward", "violation"] },
      },
    },
  },
  options: ({ strayArguments: treat }: { readonly strayArguments?: string }) =>
    treat === "violation" ? { undeclared: { treat, deep: true } } : {},
};

/** Imports everything that reads the list of settings. */
async function load() {
  return {
    ...(await import("../config/config-to-file.ts")),
    ...(await import("../config/editor-schema.ts")),
    ...(await import("../config/load.ts")),
    ...(await import("../pipeline/testing/harness.ts")),
    ...(await import("../policy/unapplied-settings.ts")),
    ...(await import("../server/api/schemas.ts")),
    ...(await import("./section-settings.ts")),
  };
}

let gateway: Awaited<ReturnType<typeof load>>;

beforeAll(async () => {
  const { SECTION_SETTINGS, ...others } = await import("./list.ts");
  vi.resetModules();
  vi.doMock("./list.ts", () => ({
    ...others,
    SECTION_SETTINGS: [...SECTION_SETTINGS, strayArguments],
  }));
  gateway = await load();
});

afterAll(() => {
  vi.doUnmock("./list.ts");
  vi.resetModules();
});

const SET = { input_validation: { stray_arguments: "violation" } };
const NOT = { input_validation: { stray_arguments: "forward" } };
const read = (file: object) =>
  gateway.parseConfig(JSON.stringify(file), { file: "touchstone.json" });
const withServer = (touchstone: object) => ({ mcpServers: { s: { command: "s", touchstone } } });

describe("a setting of a section that is only in its folder and in the list", () => {
  it.each([
    ["its default", {}, "forward", "forward"],
    ["the top level", SET, "violation", "violation"],
    ["the server", withServer(SET), "violation", "violation"],
    ["the tool", withServer({ tools: { t: SET } }), "forward", "violation"],
    [
      "the tool before the server",
      withServer({ ...SET, tools: { t: NOT } }),
      "violation",
      "forward",
    ],
  ])("comes from %s, and is written back", (_, file, ofServer, ofTool) => {
    const config = read({ ...withServer({ tools: { t: {} } }), ...file });
    const [server] = config.servers;
    expect(server?.settings.input).toMatchObject({ strayArguments: ofServer });
    const tool = server?.tools.get("t")?.input ?? server?.settings.input;
    expect(tool).toMatchObject({ strayArguments: ofTool });
    expect(read(gateway.configAsFile(config))).toEqual(config);
  });

  it("says whether the tool itself has set it", () => {
    const { tools } = read(withServer({ ...SET, tools: { t: NOT, u: {} } })).servers[0] ?? {};
    expect(tools?.get("t")?.input).toMatchObject({ strayArgumentsOfTool: true });
    expect(tools?.get("u")?.input).not.toHaveProperty("strayArgumentsOfTool");
  });

  it("is replaced at each level by its option of the command line", () => {
    const overrides: object = { strayArguments: "violation" };
    const file = withServer({ ...NOT, tools: { t: NOT } });
    const config = gateway.parseConfig(JSON.stringify(file), { file: "t.json", overrides });
    const [server] = config.servers;
    for (const of of [config.settings, server?.settings, server?.tools.get("t")]) {
      expect(of?.input).toMatchObject({ strayArguments: "violation" });
    }
    expect(config.settings.output).not.toHaveProperty("strayArguments");
  });

  it("has the values of its schema, and its description in the schema for editors", () => {
    expect(() => read({ input_validation: { stray_arguments: "x" } })).toThrow(
      '/input_validation/stray_arguments: must be one of "forward", "violation"; got "x"',
    );
    expect(() => read({ input_validation: { stray_argument: "forward" } })).toThrow(
      'did you mean "stray_arguments"?',
    );
    expect(JSON.stringify(gateway.configJsonSchema())).toContain("Arguments astray");
  });

  it("is in the HTTP API, on the console's page, and among what a rollout cannot compare", () => {
    const { SETTINGS, settingControls, unappliedSettings } = gateway;
    expect(JSON.stringify(SETTINGS)).toContain('"strayArguments"');
    expect(settingControls("input_validation")).toContainEqual({
      setting: "input_validation.stray_arguments",
      key: "strayArguments",
      label: "Stray arguments",
      help: "Of a call.",
      words: ["forward", "violation"],
    });
    const called = [{ server: "s", tool: "t" }];
    const keys = (file: object) =>
      unappliedSettings(read(file), called, { repaired: 0, other_settings: 1 });
    expect(keys(withServer(SET))).toEqual(["input_validation.stray_arguments"]);
    expect(keys(withServer({}))).toEqual([]);
  });

  it.each([
    ["blocks", SET, true],
    ["blocks nothing", NOT, false],
  ])("%s in strict as its options say: %j", async (_, own, isBlocked) => {
    const { all, call, Harness } = gateway;
    const { input, ...others } = all("strict");
    const set = { strayArguments: own.input_validation.stray_arguments };
    const h = new Harness({ settings: { ...others, input: { ...input, ...set } } });
    await h.list([{ name: "t", inputSchema: { type: "object", properties: { a: {} } } }]);
    const { onward } = await h.client(call(1, "t", '{"b":1}'));
    expect(onward === undefined).toBe(isBlocked);
  });
});

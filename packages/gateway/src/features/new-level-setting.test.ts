import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { members, oneOf } from "../../../util/src/json-schema.ts";
import type { Level, LevelFault, LevelSetting, SettingsInForce } from "./level-setting.ts";
import type { ListStepName } from "./list.ts";
import type { ListStep, ListViewer } from "./list-step.ts";

type Mode = "off" | "warn" | "strict";
interface Hiding {
  readonly mode: Mode;
}

const KEYS = { hide: { enum: ["off", "warn", "strict"], description: "Tools nobody sees" } };

const hide: LevelSetting = {
  name: "hide",
  keys: { top: KEYS, server: KEYS, tool: KEYS },
  merge: (above: Hiding | undefined, { hide: mode }: { readonly hide?: Mode }) =>
    mode === undefined ? above : { mode },
  override: (above: Hiding | undefined, { pin }: { readonly pin?: Mode }) =>
    pin === undefined ? above : { mode: pin },
  write: (settings: Hiding | undefined) => (settings === undefined ? {} : { hide: settings.mode }),
  faultIn(settings: Hiding | undefined, _: object, level: Level): LevelFault | undefined {
    const message = "hides every tool of the server";
    return level === "server" && settings?.mode === "strict"
      ? { code: "INVALID_VALUE", path: ["hide"], message }
      : undefined;
  },
  shown: members({ mode: oneOf(["off", "warn", "strict"]) }),
  ofTool: {
    shown: { hidden: oneOf(["off", "warn", "strict"]) },
    show: ({ mode }: Hiding) => ({ hidden: mode }),
    texts: ({ hidden }: { readonly hidden?: Mode }) =>
      hidden === undefined ? [] : [`hidden: ${hidden}`],
  },
  blocks: [
    {
      name: "hiding",
      shown: "Servers with hide strict.",
      isPolicy: true,
      count: (servers: readonly SettingsInForce<Hiding>[]) =>
        servers.filter(({ server }) => server?.mode === "strict").length,
      one: "hide",
      text: (count) => `hide of ${count}`,
    },
  ],
};

const hideStep: ListStep = {
  name: "hide" as ListStepName,
  prepare({ settings }: ListViewer) {
    const modeOf = (tool?: string): Mode =>
      (settings(tool) as { readonly hide?: Hiding }).hide?.mode ?? "off";
    return {
      key: "hide",
      isStrict: false,
      view({ name }) {
        const mode = modeOf(name);
        if (mode === "off") return undefined;
        const reason = "nobody is to see it";
        return mode === "strict" ? { leftOut: true, reason } : { noted: true, reason };
      },
    };
  },
};

/** Imports everything that reads the lists. */
async function load() {
  return {
    ...(await import("../config/config-to-file.ts")),
    ...(await import("../config/editor-schema.ts")),
    ...(await import("../config/load.ts")),
    ...(await import("../pipeline/testing/harness.ts")),
    ...(await import("../policy/still-blocking.ts")),
    ...(await import("../server/api/schemas.ts")),
    ...(await import("./level-settings.ts")),
  };
}

let gateway: Awaited<ReturnType<typeof load>>;

beforeAll(async () => {
  const { LEVEL_SETTINGS, LIST_STEP_NAMES, ...others } = await import("./list.ts");
  const { LIST_STEPS } = await import("./list-steps.ts");
  vi.resetModules();
  vi.doMock("./list.ts", () => ({
    ...others,
    LEVEL_SETTINGS: [...LEVEL_SETTINGS, hide],
    LIST_STEP_NAMES: [...LIST_STEP_NAMES, "hide"],
  }));
  vi.doMock("./list-steps.ts", () => ({ LIST_STEPS: [...LIST_STEPS, hideStep] }));
  gateway = await load();
});

afterAll(() => {
  vi.doUnmock("./list.ts");
  vi.doUnmock("./list-steps.ts");
  vi.resetModules();
});

const read = (file: object) =>
  gateway.parseConfig(JSON.stringify(file), { file: "touchstone.json" });
const withServer = (touchstone: object) => ({ mcpServers: { s: { command: "s", touchstone } } });

describe("a feature with keys at each level that is only in its folder and in the list", () => {
  it.each([
    ["nowhere", {}, undefined, undefined],
    ["at the top level", { hide: "warn" }, { mode: "warn" }, { mode: "warn" }],
    ["at the server", withServer({ hide: "warn" }), { mode: "warn" }, undefined],
    [
      "at the tool",
      withServer({ tools: { t: { hide: "strict" } } }),
      undefined,
      { mode: "strict" },
    ],
  ])("is read and written back if it is set %s", (_, file, ofServer, ofTool) => {
    const config = read({ ...withServer({ tools: { t: {} } }), ...file });
    const [server] = config.servers;
    expect(server?.settings).toMatchObject(ofServer ? { hide: ofServer } : {});
    expect(Object.keys(server?.settings ?? {}).includes("hide")).toBe(ofServer !== undefined);
    const tool = server?.tools.get("t");
    if (tool !== undefined) expect(tool).toMatchObject(ofTool ? { hide: ofTool } : {});
    expect(read(gateway.configAsFile(config))).toEqual(config);
  });

  it("has the values of its schema, and its description in the schema for editors", () => {
    expect(() => read({ hide: "x" })).toThrow(
      '/hide: must be one of "off", "warn", "strict"; got "x"',
    );
    expect(() => read(withServer({ hid: "warn" }))).toThrow('did you mean "hide"?');
    expect(JSON.stringify(gateway.configJsonSchema())).toContain("Tools nobody sees");
  });

  it("reports what is wrong between keys at its place", () => {
    expect(() => read(withServer({ hide: "strict" }))).toThrow(
      "/mcpServers/s/touchstone/hide: hides every tool of the server",
    );
  });

  it("is counted among what still blocks during a pause, unless policy is paused", () => {
    const { COMPONENTS, stillBlocking, stillBlockingText } = gateway;
    const settings = { ...gateway.modes(), hide: { mode: "strict" } };
    const found = stillBlocking([{ settings, tools: new Map() }], false, {});
    expect(found).toMatchObject({ policy: 0, hiding: 1 });
    expect(stillBlockingText(found)).toBe("these still block: hide of 1");
    const paused = stillBlocking([{ settings, tools: new Map() }], true, {});
    expect(stillBlockingText(paused)).toContain("no policy, narrow, pin, hide, limit of calls");
    expect(JSON.stringify(COMPONENTS)).toContain("Servers with hide strict.");
  });

  it("takes the place of each level's if the command line sets it", () => {
    const text = JSON.stringify(withServer({ hide: "off", tools: { t: {} } }));
    const overrides = { pin: "warn", lock: "first_use" } as const;
    const config = gateway.parseConfig(text, { file: "t.json", overrides });
    const [server] = config.servers;
    for (const of of [config.settings, server?.settings, server?.tools.get("t")]) {
      expect(of).toMatchObject({ hide: { mode: "warn" } });
    }
  });

  it("is shown of a tool that sets it, in the HTTP API and in words for the console", () => {
    const { COMPONENTS, shownToolSettings, toolSettingTexts } = gateway;
    const limits = [{ level: "tool", callsPerMinute: 2 }] as const;
    const shown = shownToolSettings({ limits, ...{ hide: { mode: "warn" } } });
    expect(shown).toEqual({ callsPerMinute: 2, hidden: "warn" });
    expect(toolSettingTexts(shown ?? {})).toEqual(["hidden: warn", "2 calls per minute"]);
    expect(shownToolSettings({ limits: [{ level: "server", callsPerMinute: 2 }] })).toBe(undefined);
    expect(JSON.stringify(COMPONENTS)).toContain('"hidden"');
  });

  it("is in the HTTP API, with its step on lists", () => {
    const { COMPONENTS, SETTINGS } = gateway;
    expect(JSON.stringify(SETTINGS)).toContain('"hide"');
    expect(JSON.stringify(COMPONENTS)).toContain('"allow","advertise","adapt","hide"');
  });

  it("changes lists after the other features, by the settings of each tool", async () => {
    const { Harness, modes, parse } = gateway;
    const of = (mode: Mode) => ({ ...modes(), hide: { mode } });
    const h = new Harness({ settings: of("off"), tools: { a: of("strict"), b: of("warn") } });
    const tools = ["a", "b", "c"].map((name) => ({ name, inputSchema: { type: "object" } }));
    const { onward } = await h.list(tools);
    expect(parse(onward)).toMatchObject({ result: { tools: [{ name: "b" }, { name: "c" }] } });
    expect(h.records("policy_decision")).toEqual([]);
    expect(JSON.stringify(h.records("list_change"))).toContain("nobody is to see it");
  });
});

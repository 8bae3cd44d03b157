import { expect, it } from "vitest";
import { configAsFile } from "../../config/config-to-file.ts";
import { parseConfig } from "../../config/load.ts";
import { type Overrides, settingsFromOverrides } from "../../config/overrides.ts";
import { bridgeOf } from "./bridge.ts";

function bridgeIn(top: object, server: object, overrides: Overrides = {}): string | undefined {
  const file = { ...top, mcpServers: { s: { command: "c", touchstone: server } } };
  const text = JSON.stringify(file);
  const config = parseConfig(text, { file: "touchstone.json", env: {}, overrides });
  const [own] = config.servers;
  const again = JSON.stringify(configAsFile(config));
  const [same] = parseConfig(again, { file: "touchstone.json", env: {} }).servers;
  expect(own && same && bridgeOf(same.settings)).toBe(own && bridgeOf(own.settings));
  return own && bridgeOf(own.settings);
}

it.each([
  [{}, {}, {}, "auto"],
  [{ bridge: "off" }, {}, {}, "off"],
  [{ bridge: "off" }, { bridge: "auto" }, {}, "auto"],
  [{}, { bridge: "off" }, {}, "off"],
  [{}, { bridge: "off" }, { bridge: "auto" }, "auto"],
  [{ bridge: "auto" }, {}, { bridge: "off" }, "off"],
] as const)(
  "bridge is by file %j, server %j and command line %j: %s",
  (top, server, line, mode) => {
    expect(bridgeIn(top, server, line)).toBe(mode);
  },
);

it("is auto without a file, and refuses what does not exist", () => {
  expect(bridgeOf(settingsFromOverrides({}))).toBe("auto");
  expect(() => bridgeIn({ bridge: "both" }, {})).toThrow(/bridge/);
});

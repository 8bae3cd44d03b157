import { describe, expect, it } from "vitest";
import { DEFAULT_SETTINGS } from "../settings/validation.ts";
import { settingsFromOverrides } from "./overrides.ts";

describe("settingsFromOverrides", () => {
  it.each([
    [{}, "warn", "warn", "warn"],
    [{ mode: "strict" }, "strict", "strict", "strict"],
    [{ mode: "strict", inputMode: "off" }, "off", "strict", "strict"],
    [{ outputMode: "strict", protocolMode: "off" }, "warn", "strict", "off"],
  ] as const)("%j", (overrides, input, output, protocol) => {
    const settings = settingsFromOverrides(overrides);
    expect([settings.input.mode, settings.output.mode, settings.protocol.mode]).toEqual([
      input,
      output,
      protocol,
    ]);
  });

  it("applies limits to both schema checks and keeps other defaults", () => {
    expect(settingsFromOverrides({})).toEqual(DEFAULT_SETTINGS);
    const settings = settingsFromOverrides({
      maxBytes: 1,
      maxDepth: 2,
      onInvalidSchema: "block",
      onUnknownSchema: "allow",
      missingStructuredContent: "block",
    });
    const limits = {
      ...{ maxBytes: 1, maxDepth: 2 },
      ...{ onInvalidSchema: "block", onUnknownSchema: "allow" },
    };
    expect(settings.input).toMatchObject(limits);
    expect(settings.output).toMatchObject({ ...limits, missingStructuredContent: "block" });
    expect(settings.protocol).toEqual(DEFAULT_SETTINGS.protocol);
  });
});

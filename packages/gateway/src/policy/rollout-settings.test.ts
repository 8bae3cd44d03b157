import { describe, expect, it } from "vitest";
import { NO_SETTINGS } from "../../../records/src/rollout/settings.ts";
import {
  DEFAULT_SETTINGS,
  type InputCheckSettings,
  type ValidationSettings,
} from "../settings/validation.ts";
import { rolloutSettings } from "./rollout-settings.ts";

const settingsWith = (input: Partial<InputCheckSettings>): ValidationSettings => ({
  ...DEFAULT_SETTINGS,
  input: { ...DEFAULT_SETTINGS.input, ...input },
});

describe("what a rollout judges by", () => {
  it("is without a configuration what strict blocks by default, but for missing results", () => {
    const { modes } = rolloutSettings({ settings: DEFAULT_SETTINGS, servers: [] }, "in_force");
    // The record of a call shows whether a result without structured content is blocked.
    const unknown = modes.map((mode) => ({ ...mode, blocksMissing: undefined }));
    expect(NO_SETTINGS).toEqual({ excuses: [], modes: unknown });
  });

  it.each([
    ["allow", { external: false, others: false }],
    ["block_external", { external: true, others: false }],
    ["block", { external: true, others: true }],
  ] as const)("blocks schemas that cannot be used by on_invalid_schema: %s", (setting, blocks) => {
    const settings = settingsWith({ onInvalidSchema: setting });
    const { modes } = rolloutSettings({ settings, servers: [] }, "in_force");
    expect(modes[0]?.blocksUnusable.input).toEqual(blocks);
  });
});

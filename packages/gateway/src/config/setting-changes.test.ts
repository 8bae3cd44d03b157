import { describe, expect, it } from "vitest";
import { configAsFile } from "./config-to-file.ts";
import { parseConfig } from "./load.ts";
import { settingChanges, settingChangesText } from "./setting-changes.ts";

const SECRET = "s3cret-value-of-a-test";
const crm = { command: "node", args: ["a.mjs"] };

/** Returns the changes from one configuration to another, in one line. */
function between(before: object, after: object): string {
  const fileOf = (value: object) =>
    configAsFile(parseConfig(JSON.stringify(value), { file: "touchstone.json", env: {} }));
  return settingChangesText(settingChanges(fileOf(before), fileOf(after)));
}
const served = (touchstone: object, more: object = {}): object => ({
  mcpServers: { crm: { ...crm, touchstone } },
  ...more,
});

describe("changed settings", () => {
  it.each<[string, object, object, string]>([
    ["none", served({}), served({}), ""],
    [
      "a mode of everything, without the servers that follow it",
      served({ tools: { find: { output_validation: { mode: "off" } } } }),
      served(
        { tools: { find: { output_validation: { mode: "off" } } } },
        { input_validation: { mode: "strict" } },
      ),
      'input_validation.mode: "warn" → "strict"',
    ],
    [
      "a mode of a server, without its tools",
      served({ tools: { find: { output_validation: { mode: "off" } } } }),
      served({
        input_validation: { mode: "off" },
        tools: { find: { output_validation: { mode: "off" } } },
      }),
      'mcpServers.crm.touchstone.input_validation.mode: "warn" → "off"',
    ],
    [
      "numbers, and a limit that is removed",
      { limits: { calls_per_minute: 5 }, activity: { retention_days: 90 } },
      { activity: { retention_days: 1 } },
      "activity.retention_days: 90 → 1; limits.calls_per_minute: 5 → none",
    ],
    [
      "a policy that is turned off",
      { policy: { deny_tools: ["delete_*"] } },
      { policy: { deny_tools: ["delete_*"], mode: "off" } },
      'policy.mode: "strict" → "off"',
    ],
    [
      "servers that come and go",
      { mcpServers: { old: crm } },
      { mcpServers: { new: crm } },
      "mcpServers.old: present → removed; mcpServers.new: none → added",
    ],
    [
      "a key, hidden",
      { auth: { admin_key: `${SECRET}-1` } },
      { auth: { admin_key: `${SECRET}-2` } },
      "auth.admin_key: (hidden) → (hidden)",
    ],
    [
      "keys of callers, hidden",
      { auth: { keys: [{ name: "a", key: SECRET }] } },
      { auth: { keys: [{ name: "b", key: SECRET }] } },
      "auth.keys: (hidden) → (hidden)",
    ],
    [
      "a variable of a server, hidden",
      { mcpServers: { crm: { ...crm, env: { TOKEN: SECRET } } } },
      { mcpServers: { crm: { ...crm, env: { TOKEN: `${SECRET}-2` } } } },
      "mcpServers.crm.env.TOKEN: (hidden) → (hidden)",
    ],
    [
      "a schema of narrow, hidden",
      served({ tools: { find: { narrow: { properties: { a: { const: SECRET } } } } } }),
      served({ tools: { find: { narrow: { properties: { a: { const: "b" } } } } } }),
      "mcpServers.crm.touchstone.tools.find.narrow: (hidden) → (hidden)",
    ],
  ])("are listed: %s", (_, before, after, expected) => {
    expect(between(before, after)).toBe(expected);
  });

  it("are at most 50, with the number of the others", () => {
    const many = Object.fromEntries(Array.from({ length: 60 }, (_, at) => [`s${at}`, crm]));
    const text = between({}, { mcpServers: many });
    expect(text.split("; ")).toHaveLength(51);
    expect(text).toMatch(/; and 10 more$/);
  });

  it("have values of at most 120 characters", () => {
    const text = between({}, { policy: { deny_tools: ["x".repeat(200)] } });
    expect(text).toMatch(/policy\.deny_tools: none → \["x{118}…/);
  });
});

import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import { FILE_SCHEMA, SERVER_SCHEMA } from "../settings/sections.ts";
import { parseServers } from "./client-servers.ts";
import { configJsonSchema } from "./editor-schema.ts";
import { parseConfig } from "./load.ts";
import { refusal } from "./testing/refusals.ts";

interface Described {
  readonly properties?: Readonly<Record<string, Described>>;
}
const parse = (file: object) => parseConfig(JSON.stringify(file), { file: "t.json", env: {} });
const inEntry = (members: object) => ({ mcpServers: { a: { command: "c", ...members } } });
const validate = new Ajv2020({ strict: false }).compile(configJsonSchema());

function* keysOf({ properties = {} }: Described): Generator<string> {
  for (const [key, below] of Object.entries(properties)) {
    yield key;
    yield* keysOf(below);
  }
}
const { $schema, mcpServers, ...ofFile } = (FILE_SCHEMA as Described).properties ?? {};
const ofServer = (SERVER_SCHEMA as Described).properties?.["touchstone"] ?? {};
const OWN = new Set([...keysOf({ properties: ofFile }), ...keysOf(ofServer)]);
/** Clients have keys of these names. */
const SHARED = ["type", "tools", "auth", "required", "extra", "value", "format", "guard"];

describe("a key of ours in a server entry", () => {
  it.each([...OWN].filter((key) => !SHARED.includes(key)))("is refused: %s", (key) => {
    for (const value of [{ mode: "strict" }, "strict", 5, null]) {
      const file = inEntry({ [key]: value });
      const { faults } = refusal(() => parse(file));
      expect(faults).toMatchObject([
        {
          code: "MISPLACED_KEY",
          path: `/mcpServers/a/${key}`,
          message: expect.stringMatching(/ is a key of Touchstone and is not read here; move it /),
        },
      ]);
      expect(validate(file)).toBe(false);
    }
  });

  it.each<[object, string, RegExp]>([
    [{ input_validation: { mode: "strict" } }, "input_validation", /move it under "touchstone"$/],
    [{ capability: "add" }, "capability", /move it under "touchstone"$/],
    [{ limits: {} }, "limits", /move it under "touchstone"$/],
    [{ activity: {} }, "activity", /move it to the top of touchstone\.json$/],
    [{ call_timeout: 5 }, "call_timeout", /move it into "limits" at the top of touchstone\.json$/],
    [
      { mode: "strict" },
      "mode",
      /move it into "input_validation", "output_validation", "protocol_validation" or "policy" under "touchstone"$/,
    ],
    [{ tools: { t: { input_validation: {} } } }, "tools/t/input_validation", /under "touchstone"/],
    [{ auth: { api_key: "hunter2" } }, "auth", /to the top of touchstone\.json$/],
    [{ extra: "ignore" }, "extra", /into "input_validation\.rules" or "output_validation\.rules"/],
    [{ settings: { output_validation: {} } }, "settings/output_validation", /under "touchstone"/],
    [{ x: [{ input_validation: {} }] }, "x/0/input_validation", /under "touchstone"/],
  ])("is refused with the place to move it to: %j", (members, path, words) => {
    const file = inEntry(members);
    const { faults, message } = refusal(() => parse(file));
    expect(faults.map((fault) => [fault.code, fault.path])).toEqual([
      ["MISPLACED_KEY", `/mcpServers/a/${path}`],
    ]);
    expect(faults[0]?.message).toMatch(words);
    expect(message).not.toContain("hunter2");
    expect(validate(file)).toBe(false);
  });

  it.each([
    ["inputValidation", /looks like "input_validation", which.*under the name "input_validation"/],
    ["INPUT-VALIDATION", /looks like "input_validation"/],
    ["output_validaton", /looks like "output_validation"/],
    ["Touchstone", /looks like "touchstone", which.*; rename it$/],
    ["touchstne", /looks like "touchstone"/],
  ])("is refused under a misspelled name: %s", (key, words) => {
    const { faults } = refusal(() => parse(inEntry({ [key]: { mode: "strict" } })));
    expect(faults).toMatchObject([
      { code: "MISPLACED_KEY", message: expect.stringMatching(words) },
    ]);
  });

  it("is refused even if the server is disabled or has a URL", () => {
    for (const members of [{ disabled: true }, { command: undefined, url: "http://x" }]) {
      const { faults } = refusal(() => parse(inEntry({ ...members, input_validation: {} })));
      expect(faults.map(({ code }) => code)).toEqual(["MISPLACED_KEY"]);
    }
  });

  it("is accepted with the meaning that a client gives to a key of the same name", () => {
    const client = {
      tools: ["*"],
      auth: { CLIENT_ID: "x", scopes: ["a"] },
      required: true,
      format: "json",
      value: 5,
      autoApprove: [],
      alwaysAllow: ["mode"],
      timeout: 60,
      tool_timeout_sec: 5,
      disabledTools: [],
      allowed_tools: ["x"],
      description: "input_validation",
      oauth: { mode: "x" },
      env: { mode: "x", input_validation: "y" },
    };
    const file = inEntry(client);
    expect(parse(file).ignoredKeys).toHaveLength(Object.keys(client).length - 1);
    expect([validate(file), validate.errors]).toEqual([true, null]);
    expect(parse(inEntry({ tools: { t: { name: "u", tags: ["x"] } } })).servers).toHaveLength(1);
  });

  it("leaves out the entry in a client's file", () => {
    const text = JSON.stringify({
      mcpServers: {
        a: { command: "c", input_validation: { mode: "strict" } },
        b: { command: "c" },
      },
    });
    const { servers, leftOut, ignoredKeys } = parseServers(text, "mcp.json", { env: {} });
    expect(servers.map(({ name }) => name)).toEqual(["b"]);
    expect(leftOut).toMatchObject([
      { name: "a", faults: [{ code: "MISPLACED_KEY", path: "/mcpServers/a/input_validation" }] },
    ]);
    expect(ignoredKeys).toEqual([]);
  });

  it("is refused at the top level of a client's file", () => {
    const text = '{"mcpServers":{"a":{"command":"c"}},"output_validation":{"mode":"strict"}}';
    expect(refusal(() => parseServers(text, "mcp.json", { env: {} })).faults).toMatchObject([
      {
        code: "MISPLACED_KEY",
        path: "/output_validation",
        message: expect.stringMatching(/--config/),
      },
    ]);
  });
});

describe("a key in the wrong object of ours", () => {
  const under = (touchstone: object) => inEntry({ touchstone });

  it.each<[object, string, RegExp]>([
    [under({ logging: {} }), "/mcpServers/a/touchstone/logging", /to the top of touchstone\.json$/],
    [under({ sessions: 1 }), "/mcpServers/a/touchstone/sessions", /into "limits" at the top/],
    [under({ command: "c" }), "/mcpServers/a/touchstone/command", /the entry itself, beside/],
    [under({ disabled: true }), "/mcpServers/a/touchstone/disabled", /the entry itself, beside/],
    [
      under({ tools: { t: { capability: "add" } } }),
      "/mcpServers/a/touchstone/tools/t/capability",
      /move it under "touchstone" in the server's entry$/,
    ],
    [
      under({ tools: { t: { mode: "off" } } }),
      "/mcpServers/a/touchstone/tools/t/mode",
      /into "input_validation", "output_validation", "protocol_validation" or "policy"/,
    ],
    [under({ tools: { t: { url: "x" } } }), "/mcpServers/a/touchstone/tools/t/url", /entry itself/],
    [{ mode: "strict" }, "/mode", /move it into "input_validation", .* at the top of touchstone/],
    [{ tools: {} }, "/tools", /move it under "touchstone" in the server's entry$/],
    [{ touchstone: {} }, "/touchstone", /its keys go to the top/],
    [{ command: "c" }, "/command", /into an entry of "mcpServers"$/],
    [{ limits: { api_key: "x" } }, "/limits/api_key", /into "auth" at the top/],
    [
      { input_validation: { missing_structured_content: "block" } },
      "/input_validation/missing_structured_content",
      /into "output_validation"/,
    ],
  ])("is refused with the place to move it to: %j", (file, path, words) => {
    const { faults } = refusal(() => parse(file));
    expect(faults.map((fault) => [fault.code, fault.path])).toEqual([["UNKNOWN_KEY", path]]);
    expect(faults[0]?.message).toMatch(words);
    expect(validate(file)).toBe(false);
  });
});

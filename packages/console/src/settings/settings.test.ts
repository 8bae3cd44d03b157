import type { ShownSettings } from "@touchstone/gateway/api";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { localTime } from "../text/local-time.ts";
import {
  CHECK_SETTINGS,
  camelCaseWords,
  currentSettings,
  modesOf,
  RECORD_SETTINGS,
  sectionsOf,
  sizeText,
  writtenSetting,
} from "./settings.ts";

const STARTED = "2026-11-25T14:14:17.564Z";
const LEFT_OUT = [
  { server: "old", reason: "no longer spoken" },
  { server: "x", reason: "no command" },
];
/** The settings of another gateway may have other members. */
const settings = (given: object) => ({ version: "1", ...given }) as unknown as ShownSettings;
const ANSWER = settings({
  startedAt: STARTED,
  version: "0.1.0",
  uptimeSeconds: 1234,
  configuration: { file: "touchstone.json", editable: true, ignoredKeys: [], leftOut: LEFT_OUT },
  auth: { apiKey: "unset" },
  listen: { port: 40123, allowedHosts: ["a", "b"] },
  validation: { input: { mode: "strict", rules: { extra: "warning" } }, protocol: { mode: "off" } },
  limits: { requestBytes: 16_777_216 },
  telemetry: { metrics: true },
  own: { input: "strict" },
  writes: "token",
});

describe("settings", () => {
  it("are grouped into sections, unknown ones last", () => {
    const sections = sectionsOf(ANSWER);
    expect(sections.map(({ title }) => title)).toEqual([
      "Gateway",
      "Configuration",
      "Listening",
      "Access",
      "Validation",
      "Limits",
      "Telemetry",
    ]);
    expect(sections.flatMap(({ lines }) => lines)).toEqual(
      expect.arrayContaining([
        ["Running for", "20 min 34 s"],
        ["Can be edited here", "yes"],
        ["Port", "40123"],
        ["Allowed hosts", "a, b", "Names in the Host header, against DNS rebinding."],
        ["Ignored keys", "none", "Keys of other programs, which Touchstone does not read."],
        [
          "Skipped servers",
          "old: no longer spoken; x: no command",
          "Entries that cannot be served, and why.",
        ],
        ["Started", localTime(STARTED)],
        ["Input, rules, extra", "warning"],
        ["Request bytes", "16 MiB"],
      ]),
    );
  });

  it("are flattened to a maximum depth, with empty ones as none", () => {
    const deep = { a: { b: { c: { d: 1, e: true } } }, empty: {}, list: [{ x: 1, y: {} }] };
    const lines = sectionsOf(settings({ deep })).at(-1)?.lines;
    expect(lines).toEqual([
      ["A, b, c", "1: yes"],
      ["Empty", "none"],
      ["List", "1: none"],
    ]);
  });

  it("include the effective modes", () => {
    const mode = (mode: "off" | "warn" | "strict") => ({ mode });
    const validation = { input: mode("strict"), output: mode("warn"), protocol: mode("off") };
    expect(modesOf(settings({ validation }))).toEqual({
      input: "strict",
      output: "warn",
      protocol: "off",
    });
  });

  it("can be shown whatever they are", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (given) => {
        for (const line of sectionsOf(settings(given)).flatMap((each) => each.lines))
          expect(line.every((text) => typeof text === "string")).toBe(true);
      }),
    );
  });

  it.each([
    ["maxBodyBytes", "Max body bytes"],
    ["some_thing", "Some thing"],
    ["node", "Node.js"],
    ["constructor", "Constructor"],
  ])("%s in words is %s", (name, expected) => {
    expect(camelCaseWords(name)).toBe(expected);
  });

  it.each([
    [0, "0 bytes"],
    [1023, "1,023 bytes"],
    [1024, "1 KiB"],
    [1536, "1.5 KiB"],
    [67_108_864, "64 MiB"],
    [1_000_000, "1,000,000 bytes"],
    [2 ** 40, "1,024 GiB"],
  ])("%i bytes are shown as %s", (bytes, text) => {
    expect(sizeText(bytes)).toBe(text);
  });

  it("can be edited if the gateway allows it", () => {
    const activity = { bodies: "all", drift: "no", retentionDays: 30, sync: "normal" };
    const given = settings({ activity, http: {} });
    expect(
      currentSettings(given, RECORD_SETTINGS).map(({ setting, value }) => [setting, value]),
    ).toEqual([
      ["activity.bodies", "all"],
      ["activity.retention_days", 30],
    ]);
    expect(sectionsOf(given).at(-1)?.lines).toEqual([["Flush to disk", "normal"]]);
  });

  it("about checks can be edited, and are not listed again below", () => {
    const validation = {
      input: { mode: "warn", maxBytes: 7, maxDepth: 64 },
      output: { mode: "warn", maxBytes: 8, maxDepth: 3, missingStructuredContent: "block" },
      protocol: { mode: "warn", maxBytes: 9 },
    };
    const given = settings({ validation });
    const choices = currentSettings(given, CHECK_SETTINGS);
    expect(choices.map(({ setting, value }) => [setting, value])).toEqual([
      ["input_validation.max_bytes", 7],
      ["input_validation.max_depth", 64],
      ["output_validation.max_bytes", 8],
      ["output_validation.max_depth", 3],
      ["protocol_validation.max_bytes", 9],
      ["output_validation.missing_structured_content", true],
    ]);
    const missing = choices.at(-1);
    if (missing === undefined) throw new Error("there is one");
    expect([writtenSetting(missing, true), writtenSetting(missing, false)]).toEqual([
      "block",
      "allow",
    ]);
    expect(choices.slice(0, 1).map((each) => writtenSetting(each, 5))).toEqual([5]);
    expect(sectionsOf(given).at(-1)?.lines).toEqual([
      ["Input, mode", "warn"],
      ["Output, mode", "warn"],
      ["Protocol, mode", "warn"],
    ]);
  });

  it.each([[{}], [{ output: null }], [{ output: { missingStructuredContent: "later" } }]])(
    "that a gateway reports as %j cannot be edited",
    (validation) => {
      expect(currentSettings(settings({ validation }), CHECK_SETTINGS)).toEqual([]);
    },
  );
});

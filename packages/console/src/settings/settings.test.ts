import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { localTime } from "../page/local-time.ts";
import { readSettings, words } from "./settings.ts";

const STARTED = "2026-11-25T14:14:17.564Z";
const LEFT_OUT = [
  { server: "old", reason: "no longer spoken" },
  { server: "x", reason: "no command" },
];
const ANSWER = {
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
};

describe("settings", () => {
  it("are put into sections, unknown ones last", () => {
    const settings = readSettings(ANSWER);
    expect(settings?.sections.map(({ title }) => title)).toEqual([
      "Gateway",
      "Configuration",
      "Listening",
      "Access",
      "Validation",
      "Limits",
      "telemetry",
    ]);
    expect(settings?.sections.flatMap(({ lines }) => lines)).toEqual(
      expect.arrayContaining([
        ["uptime seconds", "1,234"],
        ["editable", "yes"],
        ["port", "40123"],
        ["allowed hosts", "a, b"],
        ["ignored keys", "none"],
        ["left out", "old: no longer spoken; x: no command"],
        ["started at", localTime(STARTED)],
        ["input, rules, extra", "warning"],
        ["request bytes", "16,777,216"],
      ]),
    );
  });

  it("are listed name by name down to a depth, and what is empty as none", () => {
    const deep = { a: { b: { c: { d: 1, e: true } } }, empty: {}, list: [{ x: 1, y: {} }] };
    const lines = readSettings({ version: "1", deep })?.sections.at(-1)?.lines;
    expect(lines).toEqual([
      ["a, b, c", "1: yes"],
      ["empty", "none"],
      ["list", "1: none"],
    ]);
  });

  it("tell the modes that hold, what the configuration says, and what a change needs", () => {
    expect(readSettings(ANSWER)).toMatchObject({
      modes: { input: "strict", protocol: "off" },
      own: { input: "strict" },
      isEditable: true,
      writes: "token",
    });
  });

  it("are for reading where the configuration does not say that it can be edited", () => {
    for (const configuration of [{ editable: false, reason: "by flags" }, {}, null]) {
      const settings = readSettings({ version: "1", configuration });
      expect(settings?.isEditable).toBe(false);
    }
  });

  it("are read from anything", () => {
    expect(readSettings({})).toBeUndefined();
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (given) => {
        const lines = readSettings({ ...given, version: "1" })?.sections.flatMap(
          (each) => each.lines,
        );
        for (const line of lines ?? [])
          expect(line.map((text) => typeof text)).toEqual(["string", "string"]);
      }),
    );
  });

  it.each([
    ["maxBodyBytes", "max body bytes"],
    ["allow_execute", "allow execute"],
    ["node", "node"],
  ])("%s in words is %s", (name, expected) => {
    expect(words(name)).toBe(expected);
  });
});

import { expect, it } from "vitest";
import { parseConfig } from "./load.ts";
import { refusal, refuses } from "./testing/refusals.ts";

const alert = (members: string): string => `{"alerts":[{${members}}]}`;
const hook = (members: string): string => alert(`"when":"blocked","webhook":{${members}}`);

refuses("alerts", [
  ['{"alerts":{}}', "1:11", "WRONG_TYPE", "/alerts", /must be an array; got an object/],
  [alert('"command":["x"]'), "1:12", "MISSING_KEY", "/alerts/0", /needs "when"/],
  [alert('"when":"blocked"'), "1:12", "MISSING_KEY", "/alerts/0", /needs "webhook" or "command"/],
  [
    alert('"when":"block","command":["x"]'),
    "1:20",
    "INVALID_VALUE",
    "/alerts/0/when",
    /"server_failed".*got "block" — did you mean "blocked"/,
  ],
  [
    alert('"when":"blocked","webhook":{"url":"http://x"},"command":["x"]'),
    "1:59",
    "CONFLICTING_KEYS",
    "/alerts/0/command",
    /an entry of its own/,
  ],
  [
    alert('"when":"server_failed","tool":"t","command":["x"]'),
    "1:43",
    "CONFLICTING_KEYS",
    "/alerts/0/tool",
    /has no tool/,
  ],
  [
    alert('"when":"blocked","commands":["x"],"command":["x"]'),
    "1:30",
    "UNKNOWN_KEY",
    "/alerts/0/commands",
    /"command" is there already/,
  ],
  [
    alert('"when":"blocked","min_interval":0,"command":["x"]'),
    "1:45",
    "INVALID_VALUE",
    "/alerts/0/min_interval",
    /above 0/,
  ],
  [
    alert('"when":"blocked","command":[]'),
    "1:40",
    "INVALID_VALUE",
    "/alerts/0/command",
    /must begin with the program/,
  ],
  [
    alert('"when":"blocked","command":["mail -s hi"]'),
    "1:41",
    "INVALID_VALUE",
    "/alerts/0/command/0",
    /each argument as an item/,
  ],
  [
    alert('"when":"blocked","command":["m","a\\u0000"]'),
    "1:45",
    "INVALID_VALUE",
    "/alerts/0/command/1",
    /NUL/,
  ],
  [hook(""), "1:40", "MISSING_KEY", "/alerts/0/webhook", /needs a "url"/],
  [
    hook('"url":"ftp://h/hunter2"'),
    "1:47",
    "INVALID_VALUE",
    "/alerts/0/webhook/url",
    /^must be an absolute http/,
  ],
  [
    hook('"url":"https://u:hunter2@h/"'),
    "1:47",
    "INVALID_VALUE",
    "/alerts/0/webhook/url",
    /user name or password/,
  ],
  [
    hook('"url":"https://h","secret":""'),
    "1:68",
    "INVALID_VALUE",
    "/alerts/0/webhook/secret",
    /must be visible/,
  ],
  [
    hook('"url":"https://h","format":"text"'),
    "1:68",
    "INVALID_VALUE",
    "/alerts/0/webhook/format",
    /"json", "slack"/,
  ],
]);

it.each([
  hook('"url":5,"secret":["hunter2"]'),
  hook('"url":"hunter2","secret":"hunter2 "'),
  hook('"url":"https://h","secret":"$' + '{HUNTER}"'),
  alert('"when":"blocked","command":"hunter2"'),
  alert('"when":"blocked","command":["x",{"hunter2":1}]'),
])("hides possible secrets in errors: %s", (text) => {
  const { message } = refusal(() =>
    parseConfig(text, { file: "t.json", env: { HUNTER: "hunter2 " } }),
  );
  expect(message).toContain("/alerts/0");
  expect(message).not.toContain("hunter2");
});

it("accepts at most a hundred entries", () => {
  const text = (many: number): string =>
    JSON.stringify({ alerts: Array(many).fill({ when: "blocked", command: ["x"] }) });
  const read = (many: number) => parseConfig(text(many), { file: "t.json", env: {} });
  expect(read(100).alerts).toHaveLength(100);
  expect(refusal(() => read(101)).message).toContain("more than 100 entries");
});

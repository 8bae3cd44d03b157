import { compileOwn } from "@touchstone/core/advanced";
import { expect, it } from "vitest";
import { CAPTURE_LINE_SCHEMAS, isPlainLine } from "./read-line.ts";

const NAMES = [
  ...["time", "server", "connection", "session", "from", "to", "revision"],
  ...["answers", "text", "base64", "redactions", "oversize", "other"],
];
const VALUES = [
  ...["", "a", "client", "gateway", "a".repeat(256), "a".repeat(257), "\u{1f600}".repeat(129)],
  ...[0, -0, 1, 1.5, -1, 2 ** 53, true, null, [], {}],
];
const PLAIN = { time: "", server: "s", connection: "c", from: "client", to: "server", text: "{}" };

it("takes for plain only frames that the schema accepts", () => {
  const schema = compileOwn(CAPTURE_LINE_SCHEMAS.frame);
  expect(isPlainLine("frame", PLAIN)).toBe(true);
  let plain = 0;
  for (const name of NAMES) {
    const { [name as "text"]: _, ...without } = PLAIN;
    const values = [without, ...VALUES.map((value) => ({ ...PLAIN, [name]: value }))];
    for (const value of values.filter((each) => isPlainLine("frame", each))) {
      plain += 1;
      expect(schema.isValid(value), JSON.stringify(value)).toBe(true);
    }
  }
  expect(plain).toBeGreaterThan(NAMES.length);
  for (const value of [null, [], "", 1]) expect(isPlainLine("frame", value)).toBe(false);
});

it("takes for a plain first line only one that the schema accepts", () => {
  const schema = compileOwn(CAPTURE_LINE_SCHEMAS.start);
  const values = [
    { touchstone: "capture", version: 1 },
    { touchstone: "capture", version: 2 },
    { touchstone: "other", version: 1 },
    { touchstone: "capture" },
  ];
  for (const value of values) {
    if (isPlainLine("start", value)) expect(schema.isValid(value)).toBe(true);
  }
  expect(values.map((value) => isPlainLine("start", value))).toEqual([true, false, false, false]);
});

import fc from "fast-check";
import { expect, it } from "vitest";
import { eachOf } from "../../../../core/src/testing/sample.ts";
import { definitionDiff, definitionDiffSteps } from "./definition-diff.ts";

const description = (text: string): string => JSON.stringify({ description: text });

it.each<[string, string | undefined, string | undefined, readonly string[]]>([
  [
    "nothing, for the same with other white space and order",
    '{"a":1,"b":2}',
    '{ "b":2, "a":1 }',
    [],
  ],
  [
    "what changed, and some lines around it",
    '{"a":1,"b":2,"c":3,"d":4,"e":5,"f":6}',
    '{"a":1,"b":2,"c":3,"d":4,"e":5,"f":7}',
    ["@@", '   "c": 3,', '   "d": 4,', '   "e": 5,', '-  "f": 6', '+  "f": 7', " }"],
  ],
  ["all that is new", undefined, '{"a":1}', ["+{", '+  "a": 1', "+}"]],
  ["all that is gone", '{"a":1}', undefined, ["-{", '-  "a": 1', "-}"]],
  [
    "hidden characters as escapes",
    description("Reads."),
    description("Reads.\u200b\u202e\u{e0041}"),
    [
      " {",
      '-  "description": "Reads."',
      '+  "description": "Reads.\\u200b\\u202e\\udb40\\udc41"',
      " }",
    ],
  ],
  [
    "the paragraph that changed of a long text",
    description(`${"a".repeat(90)}\nSecond.\nThird.`),
    description(`${"a".repeat(90)}\nSecond!\nThird.`),
    [
      " {",
      `   "description": "${"a".repeat(90)}\\n`,
      "-      Second.\\n",
      "+      Second!\\n",
      '       Third."',
      " }",
    ],
  ],
  ["what is not JSON, as it is", "{", "{}", ["-{", "+{}"]],
])("shows %s", (_what, before, after, lines) => {
  expect(definitionDiff(before, after).replace(/\n$/, "").split("\n")).toEqual(
    lines.length === 0 ? [""] : lines,
  );
});

it("shows the start of ten megabytes, and says so", () => {
  const large = description("x".repeat(10_000_000));
  const lines = definitionDiff('{"a":1}', large).split("\n");
  expect(lines.slice(0, 3)).toEqual([
    "@@ too large to compare: 7 characters before, 10,000,018 characters now. The beginning of each is shown as text.",
    '-{"a":1}',
    expect.stringMatching(/^\+\{"description":"x+$/),
  ]);
  expect(lines.length).toBeLessThan(300);
});

it("shows two thousand of ten thousand changed lines, and says so", () => {
  const list = (from: number) =>
    JSON.stringify(Array.from({ length: 10_000 }, (_, at) => from + at));
  const lines = definitionDiff(list(0), list(100_000)).split("\n");
  expect(lines).toHaveLength(2_002);
  expect(lines).toContain("@@ too many lines differ to compare them one by one");
  expect(lines.at(-2)).toMatch(/^@@ 18,\d{3} more lines are not shown$/);
});

it("turns one definition into the other, in readable lines", () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 2 }), fc.json({ maxDepth: 2 }), (before, after) => {
      const lines = definitionDiff(before, after).split("\n").slice(0, -1);
      if (lines.length === 0 || lines.some((line) => line.startsWith("@@"))) return;
      // Apart from line breaks and indentation, the lines of each side form the canonical text.
      const side = (mark: string): string =>
        lines
          .flatMap((line) => ([" ", mark].includes(line[0] ?? "") ? [line.slice(1)] : []))
          .join("");
      const plain = (text: string): string => text.replaceAll(/\s|\\u[0-9a-f]{4}/g, "");
      const printed = (text: string): string =>
        plain(definitionDiff(undefined, text).replaceAll(/^\+/gm, ""));
      expect(plain(side("-"))).toBe(printed(before));
      expect(plain(side("+"))).toBe(printed(after));
      for (const line of lines) expect(line.length).toBeLessThan(2_500);
    }),
  );
});

// Format characters, fillers, joiners, variation selectors, and code points that are reserved for such characters.
it.each(
  "\u200b \u00ad \u034f \u115f \u17b4 \u180b \u2065 \u3164 \ufe0f \uffa0 \ufff0 \ue000 \r".split(
    " ",
  ),
)("shows an invisible character: %j", (hidden) => {
  const code = hidden.charCodeAt(0).toString(16).padStart(4, "0");
  const shown = hidden === "\r" ? "\\r" : `\\u${code}`;
  expect(definitionDiff(description("Reads."), description(`Reads${hidden}.`))).toContain(
    `+  "description": "Reads${shown}."`,
  );
  expect(definitionDiff(description(`a${hidden}`), description(`b${hidden}`))).not.toContain(
    hidden,
  );
});

const nested = (inner: string): string => `${"[".repeat(90)}${inner}${"]".repeat(90)}`;
const numbers = (by: number): string =>
  JSON.stringify(Array.from({ length: 1_990 }, (_, at) => at / by));
eachOf(
  [
    ["nests deeply", `${"[".repeat(9_999)}1${"]".repeat(9_999)}`, "1"],
    [
      "has many items",
      nested(Array(120_000).fill(0).join()),
      nested(Array(120_000).fill(1).join()),
    ],
    ["has many line feeds", description("\n".repeat(120_000)), description("\na".repeat(80_000))],
    ["has lines that are all different", numbers(1), numbers(2)],
    [
      "is all invisible",
      description("\u200d".repeat(200_000)),
      description("a\u200d".repeat(90_000)),
    ],
    ["is not JSON", "{", "\ud800"],
  ],
  1,
)("works in small steps, and finishes, if a definition %s", (_, before, after) => {
  const steps = definitionDiffSteps(before, after);
  let longest = 0;
  for (;;) {
    const began = process.cpuUsage();
    const step = steps.next();
    longest = Math.max(longest, process.cpuUsage(began).user / 1_000);
    if (step.done !== true) continue;
    expect(step.value.length).toBeGreaterThan(0);
    break;
  }
  // A step takes about 40 ms at most. The limit is higher because of other work on the machine and garbage collection.
  expect(longest).toBeLessThan(500);
});

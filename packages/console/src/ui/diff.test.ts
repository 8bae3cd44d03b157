import { expect, it } from "vitest";
import { briefLines } from "./diff.tsx";

const around = (text: string): string => `{${"a".repeat(200)}${text}${"b".repeat(200)}}`;

it("shortens what has not changed in an entry of one long line, and leaves the names of the file out", () => {
  const diff = [
    ...["--- touchstone.json", "+++ touchstone.json", "@@ -1,2 +1,2 @@"],
    ...[`-${around('"warn"')}`, `+${around('"strict"')}`, " }"],
  ];
  const [a, b] = ["a".repeat(59), "b".repeat(59)];
  const lines = briefLines(diff);
  expect(lines.map(({ text }) => text)).toEqual([
    `-… ${a}"warn"${b} …`,
    `+… ${a}"strict"${b} …`,
    " }",
  ]);
  // The differing parts are still the marked parts.
  expect(lines.map(({ text, from, to }) => text.slice(from, to))).toEqual(["warn", "strict", ""]);
});

it("keeps short lines, and lines that have nothing in common", () => {
  const short = ['-"mode": "warn"', '+"mode": "strict"'];
  expect(briefLines(short).map(({ text }) => text)).toEqual(short);
  const other = [`-${"a".repeat(300)}`, `+${"b".repeat(300)}`];
  expect(briefLines(other).map(({ text }) => text)).toEqual(other);
});

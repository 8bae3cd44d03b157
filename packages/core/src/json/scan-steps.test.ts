import { expect, it } from "vitest";
import { scanInSteps } from "../testing/scan-agreement.ts";
import type { ScanOptions } from "./range.ts";
import { scanJson } from "./scan.ts";
import { scanJsonSteps } from "./scan-steps.ts";
import { encodeUtf8 } from "./text.ts";

const MIB = 1_048_576;
const many = (text: string, size: number): string =>
  Array(Math.ceil(size / (text.length + 1)))
    .fill(text)
    .join();
const wide = Array.from({ length: 60_000 }, (_, index) => `"key${index}":${index}`).join();

it.each([
  ["one long string", `{"a":"${"x".repeat(4 * MIB)}"}`],
  ["one long string of characters that are several bytes", `["${"\u20ac\\n".repeat(MIB)}"]`],
  ["a long key", `{"${"x".repeat(4 * MIB)}":1}`],
  ["many small values", `[${many("[1,2.5]", 4 * MIB)}]`],
  ["many values of some size", `{"a":{"b":[${many(`{"k":"${"x".repeat(2_000)}"}`, 4 * MIB)}]}}`],
  ["a wide object", `{"a":{${wide}},"b":{${wide}},"c":{${wide}}}`],
  ["one value in another", `${"[".repeat(MIB)}${"]".repeat(MIB)}`],
  ["a key that stands twice at the end", `[${many('{"a":[1]}', 2 * MIB)},{"a":1,"a":2}]`],
  ["one long number", `{"a":-${"12".repeat(MIB)}.5}`],
  ["one long fraction", `[0.${"0".repeat(2 * MIB)}1e+5]`],
  ["one long exponent", `[1E-${"9".repeat(2 * MIB)}7]`],
  ["a fault after many digits", `[1${"0".repeat(2 * MIB)}.]`],
  ["a fault in an exponent after many digits", `[1${"0".repeat(2 * MIB)}e+]`],
  ["a fault at the end", `[${many(`"${"x".repeat(99)}"`, 2 * MIB)},"\\x"]`],
])("reads %s in many steps, with the same result as in one", (_, text) => {
  const bytes = encodeUtf8(text);
  const options: ScanOptions = {
    ...{ members: { a: { b: true }, b: true }, maxDepth: 10_000_000 },
    ...{ duplicates: true, exact: true, unique: true },
  };
  const scanning = scanJsonSteps(bytes, options);
  let steps = 1;
  let step = scanning.next();
  for (; step.done !== true; step = scanning.next()) steps += 1;
  const whole = scanJson(bytes, options);
  expect({ ...step.value, members: [...step.value.members] }).toEqual({
    ...whole,
    members: [...whole.members],
    // A check in one step reports less about texts without faults.
    ...(step.value.exact && { exact: true }),
    ...(step.value.unique && { unique: true }),
  });
  expect(steps).toBeGreaterThanOrEqual(4);
});

it.each(["12", "-1", "0.0", "1.", "1.5e", "1e+", "1E-7", "-", "01", "1e5.", "0"])(
  "reads %s with more digits, wherever a step ends",
  (number) => {
    const options: ScanOptions = { numbers: true };
    const sizes = { whole: 0, step: 16, passed: 0, least: 1 };
    for (let digits = 0; digits < 40; digits += 1) {
      for (const text of [
        number.replace(/\d/, `$&${"3".repeat(digits)}`),
        number + "0".repeat(digits),
      ]) {
        const bytes = encodeUtf8(`[${text},1]`);
        expect(scanInSteps(bytes, options, sizes).scan).toEqual(scanJson(bytes, options));
      }
    }
  },
);

it("lets other scans run between two steps", () => {
  const bytes = encodeUtf8(`[${many('{"a":1,"b":{"c":[1e400,{"d":1,"d":2}]}}', 100_000)}]`);
  const options = { duplicates: true, numbers: true };
  const sizes = { whole: 0, step: 4_096, passed: 0, least: 1 };
  const alone = scanInSteps(bytes, options, sizes).scan;
  const scanning = scanJsonSteps(bytes, options);
  const other = encodeUtf8(`{"x":1,"x":[{"y":1e999,"y":2}]}`);
  let step = scanning.next();
  for (; step.done !== true; step = scanning.next()) {
    expect(scanJson(other, options).duplicates).toHaveLength(2);
  }
  expect(step.value).toEqual(alone);
});

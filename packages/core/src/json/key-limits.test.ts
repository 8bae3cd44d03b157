import { describe, expect, it } from "vitest";
import { eachOf } from "../testing/sample.ts";
import { scanInSteps } from "../testing/scan-agreement.ts";
import type { JsonScan, ScanOptions } from "./range.ts";
import { scanWith } from "./scan.ts";
import { encodeUtf8 } from "./text.ts";
import { scriptOnlyScanner, wasmScanners } from "./wasm/source.ts";

const keys = (count: number, prefix = "k"): string =>
  Array.from({ length: count }, (_, index) => `"${prefix}${index}":1`).join();

/** Returns the result of the scan, and checks that both scanners agree on it. */
function scanned(text: string, options: ScanOptions): JsonScan {
  const bytes = encodeUtf8(text);
  const given = { duplicates: true, exact: true, unique: true, ...options };
  const scan = scanWith(bytes, given, wasmScanners);
  const { members, ...rest } = scanWith(bytes, given, scriptOnlyScanner);
  const { exact: _, unique: __, ...others } = { ...scan, members: undefined };
  expect({ ...rest, members: undefined }).toEqual(others);
  expect([...members]).toEqual([...scan.members]);
  for (const passed of bytes.length > 100_000 ? [4_096] : [0, 64, 4_096]) {
    const steps = { whole: 0, step: 16, passed, least: 2 };
    const { exact: _exact, unique: _unique, ...stepped } = scanInSteps(bytes, given, steps).scan;
    expect({ ...stepped, members: undefined }).toEqual(others);
    expect([...stepped.members]).toEqual([...scan.members]);
  }
  return scan;
}

describe("key limits", () => {
  it.each<[string, string, ScanOptions, string | undefined]>([
    ["as many in an object as it may have", `{${keys(5)}}`, { maxObjectKeys: 5 }, undefined],
    [
      "one more",
      `{${keys(6)}}`,
      { maxObjectKeys: 5 },
      "An object has more than 5 keys, at byte 36",
    ],
    [
      "more in an object inside",
      `[{"a":{${keys(6)}}}]`,
      { maxObjectKeys: 5 },
      "An object has more than 5 keys, at byte 42",
    ],
    ["as many in each of many", `[{${keys(5)}},{${keys(5)}}]`, { maxObjectKeys: 5 }, undefined],
    [
      "an object that goes on after another one inside it",
      `{${keys(3)},"x":{${keys(5)}},"y":1,"z":1}`,
      { maxObjectKeys: 5 },
      "An object has more than 5 keys, at byte 69",
    ],
    ["as many in the text as it may have", `[{${keys(5)}},{"a":1}]`, { maxKeys: 6 }, undefined],
    [
      "one more in another object",
      `[{${keys(5)}},{"a":1}]`,
      { maxKeys: 5 },
      "The text has more than 5 keys, at byte 39",
    ],
    [
      "the same key again and again",
      `{${'"a":1,'.repeat(9)}"a":1}`,
      { maxObjectKeys: 5 },
      "An object has more than 5 keys, at byte 31",
    ],
  ])("%s", (_, text, options, message) => {
    const { error } = scanned(text, options);
    expect(error?.message).toBe(message);
    expect(error?.code).toBe(message && "keys");
  });

  it("apply only if duplicate keys are searched for", () => {
    const options = { duplicates: false, exact: false, unique: false, maxObjectKeys: 5 };
    expect(scanned(`{${keys(6)}}`, options).error).toBeUndefined();
  });

  it("still allow planned members to be located, before and after the fault", () => {
    const text = `{"id":7,"params":{${keys(6)}},"method":"ping"}`;
    const { members } = scanned(text, { maxObjectKeys: 5, members: { id: true, method: true } });
    expect([...members.keys()]).toEqual(["/id", "/method"]);
  });
});

it("says that members may be missing if their object has too many keys", () => {
  const text = `{"id":7,${keys(6)},"method":"ping"}`;
  const { error, members } = scanned(text, {
    maxObjectKeys: 5,
    members: { id: true, method: true },
  });
  expect([error?.code, error?.isPlanned, [...members.keys()]]).toEqual(["keys", true, ["/id"]]);
});

describe("an object with very many keys", () => {
  eachOf([70_000, 200_000, 300_000], 1)("finds duplicates among %i", (count) => {
    const text = `{${keys(count)}}`;
    expect(scanned(text, {})).toMatchObject({ keys: count, duplicates: [] });
    const twice = `{${keys(count)},"k0":1}`;
    expect(scanned(twice, {}).duplicates).toMatchObject([{ path: "/k0" }]);
  });

  it("finds duplicates among colliding hashes", () => {
    // The two names of each pair have the same 32-bit FNV-1a hash. So have texts that are joined from one name of each
    // pair.
    const pairs = [
      ["costarring", "liquid"],
      ["declinate", "macallums"],
      ["altarage", "zinke"],
    ] as const;
    const names = pairs.reduce<string[]>(
      (all, pair) => all.flatMap((name) => pair.map((half) => name + half)),
      [""],
    );
    const more = names.flatMap((name) => [name, `${name}x`, `${name}yy`]);
    const text = `{${[...more, more[5]].map((name) => `"${name}":1`).join()}}`;
    expect(scanned(text, {}).duplicates).toMatchObject([{ path: `/${more[5]}` }]);
  });
});

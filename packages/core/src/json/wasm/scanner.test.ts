import { describe, expect, it } from "vitest";
import { locateWith } from "../locate.ts";
import type { MemberPlan } from "../range.ts";
import { scanWith } from "../scan.ts";
import { encodeUtf8 } from "../text.ts";
import { walkJson } from "../walk.ts";
import type { WebAssemblyApi } from "./exports.ts";
import type { ScanSummary, WasmScanner } from "./scanner.ts";
import { ScannerSource, scriptOnlyScanner } from "./source.ts";

const api: WebAssemblyApi = WebAssembly as unknown as WebAssemblyApi;
const source = new ScannerSource(api);

function scanner(): WasmScanner {
  const made = source.get();
  if (made === undefined) throw new Error("this runtime has no WebAssembly with SIMD");
  return made;
}

const check = (text: string): ScanSummary | undefined =>
  scanner().check(encodeUtf8(text), 1000, true, true);

const keys = (count: number, value = "0"): string =>
  Array.from({ length: count }, (_, index) => `"key ${index}":${value}`).join();

describe("texts that WebAssembly handles alone", () => {
  it.each([
    ["escapes in a key", '{"\\u00e9\\n":1,"\\ud83d\\ude00":2,"\\ud83d":3,"\\\\":4}'],
    ["a number with an exponent", "[1e5,1.5E-20,-0.0,123456789012345e-9]"],
    ["a double with 17 digits", "[0.30000000000000004,52.37403012345678e0]"],
    ["objects with many keys in each other", `{${keys(40)},"x":{${keys(70)},"y":{${keys(20)}}}}`],
    ["60,000 keys", `{${keys(60_000)}}`],
    ["1,000 levels", `${"[".repeat(999)}1${"]".repeat(999)}`],
  ])("%s", (_, text) => {
    const whole = walkJson(encodeUtf8(text), { duplicates: true, numbers: true });
    const { root, depth, keys: count } = whole;
    expect(check(text)).toEqual({ ...root, depth, keys: count, acceptedEnd: 0 });
  });

  it("carries nothing over from the previous text", () => {
    expect(check(`{"aaaaaaaaaaaaaaaaaaaaaaaaaaa":"\\n","b":1e5}`)).toBeDefined();
    expect(check('{"b":1234567890123456}')).toBeDefined();
    expect(check("[1,2,3,4,5,6,7,8,9,0.30000000000000004]")).toBeDefined();
    expect(check("[9007199254740993]")).toBeUndefined();
    expect(check('{"a":1,"b":{"a":2}}')).toMatchObject({ end: 19, depth: 3, keys: 3 });
    expect(check('{"a":1')).toBeUndefined();
  });
});

describe("a depth limit", () => {
  it.each([
    -1,
    -(2 ** 31) - 1,
    -(2 ** 32) + 2,
    0.5,
    1.9,
    2,
    2.5,
    2 ** 32,
    Infinity,
    -Infinity,
    NaN,
  ])("of %d works as in JavaScript", (maxDepth) => {
    for (const text of ["[1]", "1", "[]"]) {
      const bytes = encodeUtf8(text);
      expect(scanWith(bytes, { maxDepth }, source)).toEqual(walkJson(bytes, { maxDepth }));
    }
  });
});

describe("texts that are left to JavaScript", () => {
  it.each([
    ["a key twice", '{"a":1,"b":2,"a":3}'],
    ["a key in two spellings", '{"\\u0061":1,"b":2,"a":3}'],
    ["a key twice among many", `{${keys(100)},"key 50":1}`],
    ["a number that no double holds", "[1,9007199254740993]"],
    ["262,145 keys", `{${keys(262_145)}}`],
    ["1,024 levels", `${"[".repeat(1024)}${"]".repeat(1024)}`],
    ["a fault", "[1,]"],
  ])("%s", (_, text) => {
    expect(check(text)).toBeUndefined();
    const options = { duplicates: true, numbers: true };
    expect(scanWith(encodeUtf8(text), options, source)).toEqual(
      walkJson(encodeUtf8(text), options),
    );
  });

  it("include keys with colliding hashes, before they take long", () => {
    const colliding = new ScannerSource(api);
    colliding.get()?.exports.setMultiplier(0n);
    const few = encodeUtf8(`{${keys(10)}}`);
    expect(colliding.get()?.check(few, 10, true, false)).toMatchObject({ keys: 10 });
    for (const text of [`{${keys(100_000)}}`, `[${`{${keys(12)}},`.repeat(10_000)}0]`]) {
      const bytes = encodeUtf8(text);
      expect(colliding.get()?.check(bytes, 10, true, false)).toBeUndefined();
      expect(scanWith(bytes, { duplicates: true }, colliding)).toMatchObject({ duplicates: [] });
    }
  });

  it("include those with a plan that is too large, too deep or endless", () => {
    const endless: Record<string, MemberPlan> = {};
    endless["a"] = endless;
    const names = Array.from({ length: 300 }, (_, index) => [`key ${index}`, true] as const);
    const plans: MemberPlan[] = [endless, Object.fromEntries(names), { "\ud800": true }];
    const bytes = encodeUtf8(`{"a":{"a":1},${keys(300)},"\\ud800":1}`);
    for (const plan of plans) {
      const located = locateWith(bytes, { members: plan }, source);
      expect(located).toEqual(locateWith(bytes, { members: plan }, scriptOnlyScanner));
      expect(located.members.size).toBeGreaterThan(0);
    }
  });

  it("keeps working when the storage for plans is full", () => {
    const bytes = encodeUtf8('{"name 7":{"x":1},"id":2}');
    for (let index = 0; index < 2000; index++) {
      const plan = { [`name ${index}`]: { x: true }, id: true } as const;
      const { members } = locateWith(bytes, { members: plan }, source);
      expect([...members.keys()].at(-1)).toBe("/id");
      expect(members.size).toBe(index === 7 ? 3 : 1);
    }
  });
});

describe("located members", () => {
  const plan: MemberPlan = { id: true, params: { name: true, _meta: { token: true } } };
  const located = (text: string) => scanner().check(encodeUtf8(text), 100, false, false, plan);

  it("read like a map", () => {
    const members = located('{"params":{"_meta":{"token":7},"x":{"name":1}},"id":5}')?.members;
    const id = { start: 52, end: 53 };
    expect(members?.get("/id")).toEqual(id);
    expect(members?.has("/params/name")).toBe(false);
    expect(members?.size).toBe(4);
    const keys = ["/params/_meta/token", "/params/_meta", "/params", "/id"];
    expect([...(members?.keys() ?? [])]).toEqual(keys);
    expect([...(members?.values() ?? [])].at(-1)).toEqual(id);
    const seen: string[] = [];
    members?.forEach((_range, pointer, map) => {
      if (map.has(pointer)) seen.push(pointer);
    });
    expect(seen).toEqual(keys);
  });

  it.each([
    ["a key with an escape where members are planned", '{"i\\u0064":1,"params":{"name":"x"}}'],
    ["a key twice there", '{"id":1,"id":2,"params":{"name":"x"}}'],
    ["a key twice further in", '{"id":1,"params":{"name":"x","name":"y"}}'],
  ])("are left to JavaScript for %s", (_, text) => {
    expect(located(text)).toBeDefined();
    expect(located(text)?.members).toBeUndefined();
    const bytes = encodeUtf8(text);
    expect(scanWith(bytes, { members: plan }, source)).toEqual(walkJson(bytes, { members: plan }));
  });

  it.each([
    ["what is not planned", '{"x":{"id":1,"id":2},"id":[{"id":1,"id":2}],"params":[{"name":1}]}'],
    ["no object", "[1]"],
    ["a scalar", "1"],
  ])("are returned despite %s", (_, text) => {
    const bytes = encodeUtf8(text);
    expect([...(located(text)?.members ?? [])]).toEqual([
      ...walkJson(bytes, { members: plan }).members,
    ]);
  });
});

describe("WebAssembly memory", () => {
  it("grows for a large text, and is released after a very large one", () => {
    const kept = scanner();
    const large = encodeUtf8(`"${"x".repeat(8_000_000)}"`);
    expect(scanWith(large, {}, source).root).toEqual({ start: 0, end: large.length });
    expect(source.get()).toBe(kept);
    const larger = encodeUtf8(`["${"x".repeat(20_000_000)}"]`);
    expect(scanWith(larger, {}, source).root).toEqual({ start: 0, end: larger.length });
    expect(source.get()).not.toBe(kept);
  });

  it("is not used for a text over 64 MiB", () => {
    const huge = new Uint8Array(64 * 1024 * 1024 + 3).fill(0x20);
    huge.set(encodeUtf8("1"), huge.length - 1);
    const before = scanner().room;
    expect(scanWith(huge, {}, source)).toMatchObject({ depth: 1, keys: 0 });
    expect(scanner().room).toBe(before);
  });

  it("leaves a text to JavaScript if it cannot grow", () => {
    const full = new ScannerSource(api);
    const { memory } = full.get()?.exports ?? {};
    if (memory === undefined) throw new Error("no memory");
    Object.defineProperty(memory, "grow", {
      value: () => {
        throw new RangeError("no memory");
      },
    });
    const bytes = encodeUtf8(`["${"x".repeat(1_000_000)}"]`);
    expect(scanWith(bytes, {}, full)).toEqual(walkJson(bytes, {}));
  });
});

describe("a runtime without WebAssembly", () => {
  const refusing = (part: "Module" | "Instance"): WebAssemblyApi => ({
    ...{ Module: api.Module, Instance: api.Instance },
    [part]: class {
      constructor() {
        throw new Error("Wasm code generation disallowed by embedder");
      }
    },
  });

  it.each([
    ["refuses to compile", refusing("Module")],
    ["refuses to instantiate", refusing("Instance")],
    ["has none", undefined],
  ])("works in one that %s", (_, other) => {
    const without = new ScannerSource(other);
    const bytes = encodeUtf8(`{"id":7,"x":[${"1,".repeat(100)}2]}`);
    const options = { members: { id: true }, numbers: true } as const;
    expect(without.get()).toBeUndefined();
    for (const read of [scanWith, locateWith]) {
      const { members, ...rest } = read(bytes, options, without);
      const { members: same, ...others } = read(bytes, options, source);
      expect(rest).toEqual(others);
      expect([...members]).toEqual([...same]);
    }
  });
});

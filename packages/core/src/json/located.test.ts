import { describe, expect, it } from "vitest";
import { LocatedMembers, memberPointers } from "./located.ts";
import type { MemberPlan } from "./range.ts";
import { scanWith } from "./scan.ts";
import { encodeUtf8 } from "./text.ts";
import { walkJson } from "./walk.ts";
import { wasmScanners } from "./wasm/source.ts";

describe("memberPointers", () => {
  it("lists each member before its nested members", () => {
    const plan: MemberPlan = { id: true, "a/b": { x: true, "~": { y: true } }, z: {} };
    expect(memberPointers(plan)).toEqual([
      "/id",
      "/a~1b",
      "/a~1b/x",
      "/a~1b/~0",
      "/a~1b/~0/y",
      "/z",
    ]);
  });

  it("refuses a plan that contains itself", () => {
    const endless: Record<string, MemberPlan> = {};
    endless["a"] = endless;
    expect(() => memberPointers(endless)).toThrow(RangeError);
  });
});

/** More names than five bits of their numbers can distinguish. */
const names = Array.from({ length: 40 }, (_, index) => `name ${index}`);
const inside = Object.fromEntries(names.map((name) => [name, true as const]));
const plan: MemberPlan = { first: true, inside, last: { x: true } };
const pointers = memberPointers(plan);
const numberOf = (pointer: string): number => pointers.indexOf(pointer);

describe.each([
  [
    "as WebAssembly locates them",
    (text: string) => scanWith(encodeUtf8(text), { members: plan }, wasmScanners).members,
  ],
  [
    "made of a map",
    (text: string) =>
      LocatedMembers.of(pointers, walkJson(encodeUtf8(text), { members: plan }).members),
  ],
])("located members, %s", (_, locate) => {
  const located = (text: string): LocatedMembers => {
    const members = locate(text);
    if (!(members instanceof LocatedMembers)) throw new Error("they have no numbers");
    return members;
  };

  it("are found exactly by the numbers of their pointers", () => {
    const objects = [
      '{"inside":{"name 3":1,"name 35":[2]},"last":{"y":1,"x":"3"}}',
      '{"inside":{"name 35":1},"first":null,"other":0}',
      '{"other":{"first":1,"inside":{"name 0":1}}}',
      '{"inside":{"name 39":1,"name 7":{"name 8":2}},"last":[{"x":1}]}',
    ];
    for (const text of objects) {
      const expected = walkJson(encodeUtf8(text), { members: plan }).members;
      const members = located(text);
      expect([...members]).toEqual([...expected]);
      for (const pointer of pointers) {
        expect(members.at(numberOf(pointer))).toEqual(expected.get(pointer));
        expect(members.includes(numberOf(pointer))).toBe(expected.has(pointer));
        expect(members.get(pointer)).toEqual(expected.get(pointer));
      }
    }
  });

  it("return the position of a member's data", () => {
    const members = located('{"first":1,"inside":{"name 39":true}}');
    const at = members.indexOf(numberOf("/inside/name 39"));
    expect(members.words.slice(at, at + 3)).toEqual([numberOf("/inside/name 39"), 31, 35]);
    expect(members.indexOf(numberOf("/inside/name 7"))).toBe(-1);
    expect(members.size).toBe(3);
  });
});

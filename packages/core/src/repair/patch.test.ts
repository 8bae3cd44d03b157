import { describe, expect, it } from "vitest";
import type { PatchOperation } from "./operation.ts";
import { applyOperation } from "./patch.ts";

describe("applyOperation", () => {
  it.each<[string, PatchOperation]>([
    ["nothing to remove", { op: "remove", path: "/b" }],
    ["nothing to replace", { op: "replace", path: "/b", value: 1 }],
    ["something where it adds", { op: "add", path: "/a", value: 1 }],
    ["an item to remove", { op: "remove", path: "/list/0" }],
    ["an item to add", { op: "add", path: "/list/1", value: 1 }],
    ["no container", { op: "add", path: "/a/x", value: 1 }],
    ["null", { op: "add", path: "/none/x", value: 1 }],
    ["no parent", { op: "add", path: "/b/x", value: 1 }],
    ["the root to remove", { op: "remove", path: "" }],
  ])("does nothing if there is %s", (_what, operation) => {
    const root = { a: 1, list: [1], none: null };
    expect(applyOperation(root, operation)).toBeUndefined();
    expect(root).toEqual({ a: 1, list: [1], none: null });
  });
});

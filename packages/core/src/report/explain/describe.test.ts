import { expect, it } from "vitest";
import type { SchemaNode } from "../../keywords/node.ts";
import { describeSchema } from "./describe.ts";

it("looks at few schemas to describe one, however many nested branches it has", () => {
  let looked = 0;
  const leaf = Object.defineProperty({ id: 0, origin: "#" }, "type", {
    get() {
      looked++;
    },
  }) as SchemaNode;
  const above = (node: SchemaNode): SchemaNode => {
    const each: SchemaNode = { id: 1, origin: "#", anyOf: Array(4).fill(node) };
    return {
      id: 2,
      origin: "#",
      allOf: Array(60)
        .fill(0)
        .map(() => ({ ...each })),
    };
  };
  expect(describeSchema(above(above(leaf)))).toBeUndefined();
  expect(describeSchema({ id: 3, origin: "#", anyOf: Array(10_000).fill(leaf) })).toBeUndefined();
  expect(looked).toBeLessThan(100);
});

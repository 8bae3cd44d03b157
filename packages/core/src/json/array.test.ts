import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { jsonNode, jsonNodeText } from "../testing/json-text.ts";
import { arrayItemSteps, arrayItems } from "./array.ts";
import { scanJson } from "./scan.ts";
import { decodeUtf8, encodeUtf8 } from "./text.ts";

describe("arrayItems", () => {
  it("returns each item byte for byte, without surrounding white space", () => {
    fc.assert(
      fc.property(fc.array(jsonNode, { maxLength: 5 }), fc.nat(), (nodes, seed) => {
        const items = nodes.map((node) => jsonNodeText(node, seed));
        const bytes = encodeUtf8(` [${items.join(",")} ]\n`);
        const found = [...arrayItems(bytes, scanJson(bytes).root)];
        expect(found.map(({ start, end }) => decodeUtf8(bytes, start, end))).toEqual(
          items.map((item) => item.trim()),
        );
      }),
    );
  });
});

describe("arrayItems and arrayItemSteps", () => {
  it("find the same items, short and long", () => {
    const long = fc
      .nat({ max: 3_000 })
      .map((length) => JSON.stringify({ "]": "}".repeat(length) }));
    const item = fc.oneof(
      jsonNode.map((node) => jsonNodeText(node, 1)),
      long,
      fc.constant("[[]]"),
    );
    fc.assert(
      fc.property(fc.array(item, { maxLength: 5 }), fc.boolean(), (items, isSpaced) => {
        const bytes = encodeUtf8(isSpaced ? `[ ${items.join(" , ")}\n]` : `[${items.join()}]`);
        const { root } = scanJson(bytes);
        const stepped = [...arrayItemSteps(bytes, root)].filter((range) => range !== undefined);
        expect([...arrayItems(bytes, root)]).toEqual(stepped);
      }),
    );
  });
});

describe("arrayItemSteps", () => {
  it("pauses within long items and long white space, and finds the same", () => {
    fc.assert(
      fc.property(fc.array(jsonNode, { maxLength: 5 }), fc.nat(), (nodes, seed) => {
        const items = nodes.map((node) => jsonNodeText(node, seed));
        const bytes = encodeUtf8(`[${items.join(",")}${" ".repeat(50)}]`);
        const { root } = scanJson(bytes);
        const steps = [...arrayItemSteps(bytes, root, 8)];
        const found = steps.filter((range) => range !== undefined);
        expect(found).toEqual([...arrayItems(bytes, root)]);
        expect(steps.length - found.length).toBeGreaterThan(
          (bytes.length - found.length * 16) / 16,
        );
      }),
    );
  });
});

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readRoute, toolHash } from "./route.ts";

/** Any UTF-16 text, lone surrogates with it. */
const anyText = fc
  .array(fc.integer({ min: 0, max: 0xffff }))
  .map((units) => String.fromCharCode(...units));

describe("routes", () => {
  it.each([
    ["", {}],
    ["#", {}],
    ["#/", {}],
    ["#/tools/", {}],
    ["#/tools/%E0%A4%A", {}],
    ["#/elsewhere/a", {}],
    ["#/tools/a%2Fb", { tool: "a/b" }],
    ["#/tools/a/b", { tool: "a/b" }],
    ["#/tools/__proto__", { tool: "__proto__" }],
  ])("%s", (hash, route) => {
    expect(readRoute(hash)).toEqual(route);
  });

  it("name every tool", () => {
    fc.assert(
      fc.property(anyText, (name) => {
        expect(readRoute(toolHash(name))).toEqual(name === "" ? {} : { tool: name.toWellFormed() });
      }),
    );
    expect(readRoute(toolHash("\ud800"))).toEqual({ tool: "\ufffd" });
  });

  it("read any text", () => {
    fc.assert(fc.property(fc.string(), (text) => void readRoute(`#/tools/${text}`)));
  });
});

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { hashOf, PAGES, readRoute, toolHash } from "./route.ts";

/** Any UTF-16 text, including lone surrogates. */
const anyText = fc
  .array(fc.integer({ min: 0, max: 0xffff }))
  .map((units) => String.fromCharCode(...units));

describe("routes", () => {
  it.each([
    ["", { page: "tools", query: "" }],
    ["#", { page: "tools", query: "" }],
    ["#/", { page: "tools", query: "" }],
    ["#/tools/", { page: "tools", query: "" }],
    ["#/tools/%E0%A4%A", { page: "tools", query: "" }],
    ["#/elsewhere/a", { query: "" }],
    ["#/activityandmore", { query: "" }],
    ["#/tools/a%2Fb", { page: "tools", item: "a/b", query: "" }],
    ["#/tools/a/b", { page: "tools", item: "a/b", query: "" }],
    ["#/tools/a%3Fb", { page: "tools", item: "a?b", query: "" }],
    ["#/tools/__proto__", { page: "tools", item: "__proto__", query: "" }],
    ["#/activity?status=blocked", { page: "activity", query: "status=blocked" }],
    ["#/activity/01AB?tool=a%3Fb", { page: "activity", item: "01AB", query: "tool=a%3Fb" }],
  ])("%s", (hash, route) => {
    expect(readRoute(hash, "tools")).toEqual(route);
  });

  it("name every tool", () => {
    fc.assert(
      fc.property(anyText, (name) => {
        const item = name === "" ? {} : { item: name.toWellFormed() };
        expect(readRoute(toolHash(name), "tools")).toEqual({ page: "tools", query: "", ...item });
      }),
    );
    expect(readRoute(toolHash("\ud800"), "tools")).toMatchObject({ item: "\ufffd" });
  });

  it("name every page, its open item and its parameters", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...PAGES),
        anyText,
        fc.webQueryParameters(),
        (page, item, query) => {
          const open = item === "" ? {} : { item: item.toWellFormed() };
          expect(readRoute(hashOf(page, item, query), "tools")).toEqual({ page, query, ...open });
        },
      ),
    );
    const parameters = { server: "a b", kind: undefined, name: "" };
    expect(hashOf("pins", "", parameters)).toBe("#/pins?server=a+b");
  });

  it("can be read from any text", () => {
    fc.assert(fc.property(fc.string(), (text) => void readRoute(`#/tools/${text}`, "tools")));
  });
});

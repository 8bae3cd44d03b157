import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { normalPrefix } from "../options.ts";
import { splitTarget } from "./request.ts";
import { allowHeader, mayMeanAction, parseRoute, pathBelow } from "./route.ts";

describe("parseRoute", () => {
  const named = (kind: string, name = "", more: object = {}) => ({
    ...{ kind, name, malformed: false, isAllowed: true },
    ...more,
  });
  const refused = { isAllowed: false };

  it.each([
    ["GET", "/", named("page")],
    ["GET", "/tools", named("tools")],
    ["GET", "/tools/", named("tools")],
    ["POST", "/validate", named("batch")],
    ["GET", "/openapi.json", named("openapi")],
    ["GET", "/assets/a.js", named("asset", "a.js")],
    ["GET", "/assets/a/b.js", undefined],
    ["GET", "/assets/..%2Fb.js", named("asset", "../b.js")],
    ["GET", "/tools/a", named("tool", "a")],
    ["GET", "/tools/a/", named("tool", "a")],
    ["GET", "/tools/a%2F", named("tool", "a/")],
    ["GET", "/tools/a/b", named("tool", "a/b")],
    ["GET", "/tools/a/validate", named("tool", "a/validate")],
    ["POST", "/tools/a/validate", named("validate", "a")],
    ["POST", "/tools/a/call/", named("call", "a")],
    ["POST", "/tools/a/b/call", named("call", "a/b")],
    ["POST", "/tools/a%2Fb/call", named("call", "a/b")],
    ["POST", "/tools/a/validate/call", named("call", "a/validate")],
    ["POST", "/tools/a%2Fvalidate", named("tool", "a/validate", refused)],
    ["POST", "/tools//call", named("call", "")],
    ["POST", "/tools/call", named("tool", "call", refused)],
    ["PUT", "/tools/a/validate", named("validate", "a", refused)],
    ["OPTIONS", "/tools/a/b/call", named("call", "a/b", refused)],
    ["HEAD", "/tools/a/call", named("tool", "a/call")],
    ["DELETE", "/tools", named("tools", "", refused)],
    ["POST", "/tools/%25FF/call", named("call", "%FF")],
    ["POST", "/tools/%FF/call", named("call", "%FF", { malformed: true })],
    ["GET", "/toolsX", undefined],
    ["GET", "//tools", undefined],
    ["GET", "/Tools", undefined],
  ])("%s %s", (method, path, expected) => {
    expect(parseRoute(path, method)).toEqual(expected);
  });

  it("finds any name", () => {
    const names = fc.string({ unit: "binary" }).filter((name) => name.isWellFormed());
    fc.assert(
      fc.property(names, fc.constantFrom("validate", "call"), (name, kind) => {
        const whole = `/tools/${encodeURIComponent(name)}/${kind}`;
        const raw = `/tools/${encodeURIComponent(name).replaceAll("%2F", "/")}/${kind}`;
        expect(parseRoute(whole, "POST")).toEqual(named(kind, name));
        expect(parseRoute(raw, "POST")).toEqual(named(kind, name));
      }),
    );
  });

  it("never throws", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.constantFrom("GET", "POST"), (path, method) => {
        const { path: split } = splitTarget(path);
        parseRoute(split, method);
        mayMeanAction(split);
        expect(pathBelow(split, "")).toBe(split);
      }),
    );
  });
});

describe("a request target", () => {
  it.each([
    ["/tools?detail=full#x", "/tools", "detail=full"],
    ["http://localhost:80/tools?a?b", "/tools", "a?b"],
    ["http://localhost", "/", ""],
    ["http://localhost?x", "/", "x"],
    ["*", "/*", ""],
    ["", "/", ""],
    ["//evil/tools", "//evil/tools", ""],
  ])("%s", (target, path, query) => {
    expect(splitTarget(target)).toEqual({ path, query });
  });
});

describe("a prefix", () => {
  it.each([
    ["/a", "/a", "/"],
    ["/a/", "/a", "/"],
    ["/a/b", "/a", "/b"],
    ["/ab", "/a", undefined],
    ["/", "/a", undefined],
    ["/b", "", "/b"],
  ])("%s below %j is %j", (path, prefix, expected) => {
    expect(pathBelow(path, prefix)).toBe(expected);
  });

  it.each([
    ["", ""],
    ["/", ""],
    ["explorer", "/explorer"],
    ["/explorer/", "/explorer"],
    ["/a/b//", "/a/b"],
  ])("normalizes %j to %j", (given, expected) => {
    expect(normalPrefix(given)).toBe(expected);
  });

  it("each resource has its methods", () => {
    expect([allowHeader("tool"), allowHeader("call")]).toEqual([
      "GET, HEAD, OPTIONS",
      "POST, OPTIONS",
    ]);
  });
});

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { methodsOf, Router, type RouterRoute, writeTemplate } from "./router.ts";

const ROUTES = [
  { method: "get", path: "/" },
  { method: "post", path: "/records/erase" },
  { method: "get", path: "/records/{id}" },
  { method: "get", path: "/settings" },
  { method: "patch", path: "/settings" },
  { method: "get", path: "/a.b/{id}/x" },
  { method: "post", path: "/tools/{+name}/call" },
  { method: "get", path: "/tools/{+name}" },
] as const satisfies readonly RouterRoute[];

const router = new Router<RouterRoute>(ROUTES);

describe("a router", () => {
  it.each<[string, string, string | undefined, object?]>([
    ["GET", "/", "get /"],
    ["GET", "/records/7", "get /records/{id}", { id: "7" }],
    ["HEAD", "/records/7/", "get /records/{id}", { id: "7" }],
    ["GET", "/records/a%2Fb", "get /records/{id}", { id: "a%2Fb" }],
    ["GET", "/records/%FF", "get /records/{id}", { id: "%FF" }],
    ["POST", "/records/erase", "post /records/erase"],
    ["GET", "/records/erase", "GET is not for /records/erase"],
    ["PUT", "/records/7", "PUT is not for /records/{id}", { id: "7" }],
    ["get", "/records/7", "get is not for /records/{id}", { id: "7" }],
    ["GET", "/records/a/b", undefined],
    ["GET", "/records/", undefined],
    ["GET", "/records//", undefined],
    ["GET", "/recordsX", undefined],
    ["GET", "/RECORDS/7", undefined],
    ["PATCH", "/settings", "patch /settings"],
    ["DELETE", "/settings/", "DELETE is not for /settings"],
    ["GET", "/a.b/1/x", "get /a.b/{id}/x", { id: "1" }],
    ["GET", "/aXb/1/x", undefined],
    ["GET", "/tools/a/call", "get /tools/{+name}", { name: "a/call" }],
    ["POST", "/tools/a/b/call", "post /tools/{+name}/call", { name: "a/b" }],
    ["POST", "/tools//call", "post /tools/{+name}/call", { name: "" }],
    ["POST", "/tools/a\nb/call", "post /tools/{+name}/call", { name: "a\nb" }],
    ["DELETE", "/tools/a/call", "DELETE is not for /tools/{+name}/call", { name: "a" }],
    ["POST", "/tools/a", "POST is not for /tools/{+name}", { name: "a" }],
    ["GET", "", undefined],
    ["GET", "*", undefined],
    ["GET", "//", "get /"],
    ["GET", "/__proto__", undefined],
  ])("%s %s", (method, path, expected, names = {}) => {
    const found = router.find(method, path);
    const [first] = found?.routes ?? [];
    const shown =
      found?.route === undefined
        ? first && `${method} is not for ${first.path}`
        : `${found.route.method} ${found.route.path}`;
    expect(shown).toBe(expected);
    if (found !== undefined) expect({ ...found.names }).toEqual(names);
  });

  it("lists the methods of a path", () => {
    expect(methodsOf(router.find("PUT", "/settings")?.routes ?? [])).toEqual([
      "GET",
      "HEAD",
      "PATCH",
    ]);
  });

  it("finds any segment, and never throws", () => {
    const segment = fc
      .string({ unit: "binary", minLength: 1 })
      .filter((text) => text.isWellFormed());
    fc.assert(
      fc.property(segment, (text) => {
        const id = encodeURIComponent(text);
        expect(router.find("GET", `/records/${id}`)?.names["id"]).toBe(id);
        router.find("POST", text);
      }),
    );
  });

  it("writes templates for others", () => {
    expect(writeTemplate("/tools/{+name}/call", (name) => `:${name}`)).toBe("/tools/:name/call");
  });
});

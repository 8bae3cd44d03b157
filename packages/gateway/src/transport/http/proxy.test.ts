import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { routeToUrl } from "./proxy.ts";

const PROXIES = { HTTP_PROXY: "http://p:1", HTTPS_PROXY: "http://s:2" };

describe("the proxy for a URL", () => {
  it.each([
    ["http://tools.example/mcp", {}, undefined],
    ["http://tools.example/mcp", PROXIES, "http://p:1/"],
    ["https://tools.example/mcp", PROXIES, "http://s:2/"],
    ["https://tools.example/mcp", { HTTP_PROXY: "http://p:1" }, undefined],
    [
      "http://tools.example",
      { ...PROXIES, http_proxy: "q.example:3128" },
      "http://q.example:3128/",
    ],
    ["http://tools.example", { ...PROXIES, http_proxy: "" }, undefined],
    ["http://localhost:3000/mcp", PROXIES, undefined],
    ["http://127.0.0.1:3000/mcp", PROXIES, undefined],
    ["http://[::1]:3000/mcp", PROXIES, undefined],
  ])("is right for %s with %j", (url, env, proxy) => {
    expect(routeToUrl(url, env).proxy?.href).toBe(proxy);
  });

  it.each([
    ["tools.example", "http://tools.example", true],
    ["TOOLS.example", "http://tools.EXAMPLE", true],
    ["tools.example", "http://a.tools.example", true],
    [".tools.example", "http://a.tools.example", true],
    ["*.tools.example", "http://a.tools.example", true],
    ["ools.example", "http://tools.example", false],
    ["a, tools.example b", "http://tools.example", true],
    ["*", "http://tools.example", true],
    ["tools.example:80", "http://tools.example", true],
    ["tools.example:81", "http://tools.example", false],
    ["tools.example:443", "https://tools.example", true],
    ["10.0.0.0/8", "http://10.1.2.3:8080", true],
    ["10.0.0.0/8", "http://11.1.2.3", false],
    ["10.1.2.3", "http://10.1.2.3", true],
    ["10.1.2.3:81", "http://10.1.2.3:81", true],
    ["2.3", "http://10.1.2.3", false],
    ["fd00::/8", "http://[fd12::1]/mcp", true],
    ["fd12::1", "http://[fd12::1]/mcp", true],
    ["[fd12::1]:81", "http://[fd12::1]:81/mcp", true],
    ["10.0.0.0/33", "http://10.1.2.3", false],
    ["10.0.0.0/", "http://10.1.2.3", false],
    ["10.0.0.0/8/8", "http://10.1.2.3", false],
    ["", "http://tools.example", false],
    [".", "http://tools.example", false],
  ])("NO_PROXY=%j for %s goes direct: %j", (list, url, direct) => {
    expect(routeToUrl(url, { ...PROXIES, NO_PROXY: list }).proxy === undefined).toBe(direct);
  });

  it.each(["socks5://user:s3cret@p:1", "http://", "http://p:99999", "::"])(
    "is an error for the variable value %j, without showing secrets",
    (value) => {
      const way = routeToUrl("https://tools.example", { https_proxy: value });
      expect(way).toEqual({
        fault: "the variable HTTPS_PROXY names no http:// or https:// URL of a proxy",
      });
    },
  );

  it.each(["http://user:100%@p:1", "http://us%zz@p:1"])(
    "is an error if the user or password of %j cannot be decoded",
    (value) => {
      const way = routeToUrl("https://tools.example", { https_proxy: value });
      expect(way).toEqual({
        fault:
          "the variable HTTPS_PROXY has a % in its user or password that must be written as %25",
      });
    },
  );

  it("is computed without error for any variables", () => {
    const text = fc.oneof(fc.string(), fc.string({ unit: "binary" }), fc.ipV6(), fc.domain());
    fc.assert(
      fc.property(text, text, fc.webUrl(), (proxy, except, url) => {
        const way = routeToUrl(url, { HTTP_PROXY: proxy, HTTPS_PROXY: proxy, NO_PROXY: except });
        expect(way.proxy === undefined || /^https?:$/.test(way.proxy.protocol)).toBe(true);
      }),
    );
  });
});

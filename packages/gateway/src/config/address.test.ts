import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { originFault, parseListenAddress } from "./address.ts";

describe("parseListenAddress", () => {
  it.each([
    ["127.0.0.1:7411", "127.0.0.1", 7411],
    ["[::1]:7411", "::1", 7411],
    ["localhost:0", "localhost", 0],
    ["mcp.example:65535", "mcp.example", 65_535],
  ])("reads %s", (text, host, port) => {
    expect(parseListenAddress(text)).toEqual({ host, port });
  });

  it.each([
    "",
    ":",
    ":1",
    "h",
    "h:",
    "h:-1",
    "h:1.5",
    "h:99999",
    "999.1.1.1:1",
    "0:1",
    "a b:1",
    "h:1/",
    "-h:1",
    "[127.0.0.1]:1",
    "[]:1",
    "http://h:1",
  ])("refuses %j", (text) => {
    expect(parseListenAddress(text)).toHaveProperty("fault");
  });

  it("never throws", () => {
    fc.assert(fc.property(fc.string(), (text) => typeof parseListenAddress(text) === "object"));
  });
});

describe("an origin", () => {
  it.each([
    "https://app.example",
    "http://localhost:6274",
    "http://[::1]:3000",
    "https://xn--bcher-kva.example",
    "chrome-extension://abcdefghijklmnopabcdefghijklmnop",
    "moz-extension://0f8c2b1e-3a52-4a52-8f0a-7d7d1a1a1a1a",
    "vscode-webview://1abc",
    "tauri://localhost",
  ])("can be %s", (origin) => expect(originFault(origin)).toBeUndefined());

  it.each([
    ["null", /sandboxed frame of any site/],
    ["file://", /SCHEME:\/\/HOST/],
    ["file://host", /SCHEME:\/\/HOST/],
    ["app.example", /SCHEME:\/\/HOST/],
    ["javascript:alert(1)", /SCHEME:\/\/HOST/],
    ["blob:https://app.example/x", /SCHEME:\/\/HOST|browsers send/],
    ["chrome-extension://abc/", /SCHEME:\/\/HOST/],
    ["Chrome-Extension://abc", /SCHEME:\/\/HOST/],
    ["*", /wildcards never match/],
    ["https://app.example/", /browsers send "https:\/\/app\.example"/],
    ["https://bücher.example", /browsers send "https:\/\/xn--bcher-kva\.example"/],
  ])("cannot be %s", (text, reason) => expect(originFault(text)).toMatch(reason));
});

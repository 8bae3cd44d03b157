import { describe, expect, it } from "vitest";
import { parseUrl } from "./parse-url.ts";

describe("a URL", () => {
  it("is read the same after thousands of others", () => {
    const hosts = new Set<string | undefined>();
    for (let at = 0; at < 30_000; at++) {
      parseUrl(`https://app.example/${at % 7}`);
      hosts.add(parseUrl("https://bücher.example")?.hostname);
    }
    expect([...hosts]).toEqual(["xn--bcher-kva.example"]);
  });

  it.each(["", "app.example", "https://", "http://[::1", "https://a b.example"])(
    "is not %j",
    (text) => expect(parseUrl(text)).toBeUndefined(),
  );

  it("can be relative to another", () => {
    expect(parseUrl("/é", "https://app.example/x")?.href).toBe("https://app.example/%C3%A9");
    expect(parseUrl("/é", "app.example")).toBeUndefined();
  });
});

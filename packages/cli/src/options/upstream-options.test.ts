import { describe, expect, it } from "vitest";
import { CliExit } from "../io/exit.ts";
import { checkedUpstream, headersFrom } from "./upstream-options.ts";

const URL = "https://example.com/mcp";

describe("a server by URL", () => {
  it("accepts headers as NAME=VALUE, with more = in the value", () => {
    expect(checkedUpstream(URL, ["Authorization=Bearer a=b", "X-Empty="])).toEqual({
      url: URL,
      headers: { Authorization: "Bearer a=b", "X-Empty": "" },
    });
  });

  it.each([
    ["no URL", "example.com/mcp", [], /--url must be an absolute http/],
    ["another scheme", "file:///etc/passwd", [], /--url must be an absolute http/],
    ["a password", "https://u:s3cret@example.com", [], /user name or password/],
    ["no equals sign", URL, ["Authorization: s3cret"], /takes NAME=VALUE/],
    ["no name", URL, ["=s3cret"], /takes NAME=VALUE/],
    ["no header name", URL, ["a b=s3cret"], /takes NAME=VALUE/],
    ["the transport's own", URL, ["Content-Length=3"], /belongs to the transport/],
    ["a name twice, of which one would be lost", URL, ["X-A=s3cret", "x-a=s3cret"], /x-a is given/],
    ["a line break", URL, ["X-A=s3cret\r\nX-B: 1"], /X-A: the value must be one line/],
  ])("reports what is wrong without showing secrets: %s", (_name, url, headers, message) => {
    let thrown: unknown;
    try {
      checkedUpstream(url, headers);
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toBeInstanceOf(CliExit);
    expect(String(thrown)).toMatch(message);
    expect(String(thrown)).not.toContain("s3cret");
  });
});

describe("headers from variables", () => {
  const env = { TOKEN: "Bearer a=b", EMPTY: "", X: undefined };

  it("take the variables' values, even empty ones", () => {
    expect(headersFrom(["Authorization=TOKEN", "X-Empty=EMPTY"], env)).toEqual([
      "Authorization=Bearer a=b",
      "X-Empty=",
    ]);
  });

  it.each([
    ["Authorization", /takes NAME=VARIABLE/],
    ["=TOKEN", /takes NAME=VARIABLE/],
    ["Authorization=X", /the variable X is not set/],
    ["Authorization=", /is not set/],
  ])("are refused: %s", (header, message) => {
    expect(() => headersFrom([header], env)).toThrow(message);
  });
});

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { publicMessage } from "./public-message.ts";

describe("publicMessage", () => {
  it.each([
    ["the city is closed", "the city is closed"],
    ["open '/etc/keys/a b.pem'", "open '[path]'"],
    ["cannot read /home/ada/.ssh/id_rsa: denied", "cannot read [path]: denied"],
    ["at /srv/app/index.js:12:5", "at [path]"],
    ["at file:///srv/app/index.js", "at [path]"],
    ["in C:\\Users\\ada\\app.js", "in [path]"],
    ["in \\\\server\\share\\x", "in [path]"],
    ["Boom\n    at run (/srv/app/index.js:1:1)\n    at main", "Boom"],
    ["GET https://api.example.com/v1/users: 404", "GET https://api.example.com/v1/users: 404"],
    ["ENOENT:/srv/app/key.pem", "ENOENT:[path]"],
    ["GET http://[::1]:80/v1/users?x=http://a/b/c", "GET http://[::1]:80/v1/users?x=http://a/b/c"],
    ["5 km/h and/or /tools", "5 km/h and/or /tools"],
    ["", "The tool failed without a message."],
    ["x".repeat(2000), "x".repeat(2000)],
    ["x".repeat(2001), `${"x".repeat(1999)}…`],
  ])("turns %j into %j", (message, expected) => {
    expect(publicMessage(new Error(message))).toBe(expected);
    expect(publicMessage(message)).toBe(expected);
  });

  it("accepts any thrown value, and returns a bounded text without paths", () => {
    const hostile = {
      get message() {
        throw new Error("no");
      },
    };
    for (const thrown of [undefined, null, 5, {}, hostile, Object.create(Error.prototype, {})]) {
      expect(publicMessage(thrown)).toBe("The tool failed without a message.");
    }
    fc.assert(
      fc.property(
        fc.string({ maxLength: 5000 }),
        fc.stringMatching(/^[a-z]{3,8}$/),
        (text, name) => {
          const message = publicMessage(new Error(`${text} /var/${name}/secret ${text}`));
          expect(message.length).toBeLessThanOrEqual(2000);
          expect(message).not.toContain(`/var/${name}`);
        },
      ),
    );
  });

  it("runs fast on long messages", () => {
    expect(publicMessage("/".repeat(1_000_000)).length).toBeLessThanOrEqual(2000);
    expect(publicMessage("'/a".repeat(500_000)).length).toBeLessThanOrEqual(2000);
  });
});

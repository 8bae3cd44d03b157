import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { maskPaths } from "./mask-paths.ts";

describe("maskPaths", () => {
  it.each([
    ["in C:\\Program Files (x86)\\app\\x.js:1:2 failed", "in [path] failed"],
    ["at f (C:\\Program Files\\app\\x.js:1:2)", "at f ([path])"],
    ["at f (/srv/my app/x.js:1:2)", "at f ([path])"],
    ["copy C:\\a b\\c to D:\\e f\\g: denied", "copy [path] to [path]: denied"],
    ["C:/Program Files/x/y", "[path]"],
    ["in \\\\?\\C:\\Users\\ada", "in [path]"],
    ['{"path":"C:\\\\Users\\\\ada b\\\\x"}', '{"path":"[path]"}'],
    ['{"text":"open \\"/srv/a b/c\\""}', '{"text":"open \\"[path]\\""}'],
    ["open 'C:\\Users\\o'neil\\x y.js'", "open '[path]'"],
    ["open '/home/ada/it's mine/key.pem' failed", "open '[path]' failed"],
    ["‘/srv/my app/x’ and “/srv/my app/y”", "‘[path]’ and “[path]”"],
    ["EACCES: permission denied, mkdir '/data'", "EACCES: permission denied, mkdir '[path]'"],
    ["/Library/Application Support/x/y is gone", "[path] is gone"],
    ["/srv//app/x", "[path]"],
    ["//server/share/x", "[path]"],
    ["[/srv/app/key.pem, /srv/a(1)/b]", "[[path], [path]]"],
    [
      "EACCES: permission denied, rename '/a/b' -> '/c/d'",
      "EACCES: permission denied, rename '[path]' -> '[path]'",
    ],
    ["///srv/app/x", "[path]"],
    ["\\/srv\\/app\\/x", "\\[path]"],
    ["/api/v1:/home/ada/x and '/api/x of /home/ada/x'", "/api/v1:[path] and '/api/x of [path]'"],
    ["GET /x?p=/home/ada/x", "GET /x?p=[path]"],
    ["/proc/1/environ", "[path]"],
    ["FILE:///srv/app/x", "[path]"],
    ["<file:///C:/Users/a%20b/x>", "<[path]>"],
    ["sqlite:////srv/x and unix:///run/d.sock", "[path] and [path]"],
    ["\u001b[31m/srv/app/x\u001b[0m", "[path]"],
    ["cc -I/usr/local/include", "cc -I[path]"],
    ["Error\\n/srv/app/x", "Error\\n[path]"],
    ["loading.../srv/app/x", "loading...[path]"],
    ["PATH=/usr/local/bin:/usr/bin:/bin", "PATH=[path]"],
    ["GET http://h/x?p=/srv/app/x&q=1", "GET http://h/x?p=[path]&q=1"],
    ["GET http://h/x?p=%2Fsrv%2Fapp&q=1", "GET http://h/x?p=[path]&q=1"],
  ])("masks the path in %j", (text, expected) => {
    expect(maskPaths(text)).toBe(expected);
  });

  it.each([
    "no route '/tools' (or /tools)",
    "see https://example.com/a/b,c/d (http://x.org/y) or postgres://db:5432/main/x",
    "5 km/h and/or 1/2, text/html, */*, I/O",
    "./src/x/y, ../src/x/y, src/x/y, src/**/x/y",
    "must match \\d+\\w+ or ^\\\\d{3}$",
    "// a comment: a, b; c:",
    "Field /params/arguments/a is wrong; GET /api/v1/users/5 answered 404; see https://x.org/a/b",
    "/params/arguments/a: must be string, at '/items/0/name' (/items/1/name), \"/a~1b/c\"",
    "#/$defs/x, $ref: '#/definitions/home/x', /openapi.json, /media/0/url, /run",
    "no such page: http://h/x?next=/api/v1/users",
    "it's 'quoted' and \"so on\" (as is)",
  ])("leaves %j unchanged", (text) => {
    expect(maskPaths(text)).toBe(text);
  });

  it.each([
    ["/srv/a/b failed with text/html", "[path] failed with text/html"],
    ["/srv/a/b and/or N/A", "[path] and/or N/A"],
    ["(/srv/a/b does not exist)", "([path] does not exist)"],
    ["/srv/a/b: Could not open a/b", "[path]: Could not open a/b"],
  ])("keeps the text after the path in %j", (text, expected) => {
    expect(maskPaths(text)).toBe(expected);
  });

  it("masks the process's own directories anywhere", () => {
    const own = ["/data/my app", "/api/", "/", "C:\\x", ""];
    const text =
      "in /data/my app/x.js, '/data/my app', /api/key.js; not /api, /data/my apple or /data/x";
    const masked = "in [path], '[path]', [path]; not /api, /data/my apple or /data/x";
    expect(maskPaths(text, own)).toBe(masked);
    expect(maskPaths(`${process.cwd()}/x`)).toBe("[path]");
  });

  it("leaves JSON Pointers and routes unchanged in any context", () => {
    const segment = fc.oneof(
      fc.stringMatching(/^(?:q[a-z01_-]{0,7}[a-z$]|\{q[a-z]{0,8}\}|q~[01]|\d{1,3})$/),
      fc.constantFrom("home", "tmp"),
    );
    const pointer = fc
      .tuple(
        fc.stringMatching(/^(?:q[a-z01_-]{0,7}[a-z$]|\{q[a-z]{0,8}\}|q~[01])$/),
        fc.array(segment, { maxLength: 4 }),
      )
      .map((parts) => `/${parts.flat().join("/")}`);
    const before = fc.constantFrom(
      "",
      "at ",
      "'",
      '"',
      "`",
      "(",
      "Field ",
      "GET ",
      "#",
      ": ",
      "[",
      "path=",
    );
    const after = fc.constantFrom(
      "",
      " must be string",
      "'",
      '"',
      "`",
      ")",
      ": denied",
      ", x",
      ".",
    );
    fc.assert(
      fc.property(fc.array(fc.tuple(before, pointer, after), { maxLength: 4 }), (parts) => {
        const text = parts.map((texts) => texts.join("")).join(" ");
        expect(maskPaths(text, [])).toBe(text);
      }),
      { numRuns: 1000 },
    );
  });

  const name = fc.stringMatching(/^zq[a-z]{3,8}$/);
  const word = fc.constantFrom(
    "",
    " x",
    "'s",
    "-1",
    ".d",
    "(1)",
    "é",
    ",v",
    "@2",
    "+",
    " Files (x86)",
  );
  const part = fc.tuple(name, word).map((parts) => parts.join(""));
  const parts = fc.array(part, { minLength: 1, maxLength: 4 });
  const root = fc.constantFrom<readonly [string, string]>(
    ["/srv/", "/"],
    ["/home/", "/"],
    ["/Users/srv/", "/"],
    ["/private/var/", "/"],
    ["C:\\", "\\"],
    ["d:/x/", "/"],
    ["\\\\host\\", "\\"],
    ["\\\\?\\C:\\", "\\"],
    ["file:///srv/", "/"],
    ["file:///C:/", "/"],
    ["File://localhost/", "/"],
  );
  const file = fc.constantFrom("zqfile.js", "zqfile.pem");
  const path = fc
    .tuple(root, parts, file)
    .map(([[start, slash], folders, last]) => start + [...folders, last].join(slash));
  const around = fc.constantFrom<readonly [string, string]>(
    ["'", "'"],
    ['"', '"'],
    ["`", "`"],
    ["“", "”"],
    ["(", ")"],
    ["at f (", ":12:5)"],
    ["open '", "': denied"],
    ['{"path":"', '"}'],
  );
  const enclosed = fc.tuple(around, path).map(([[before, after], text]) => before + text + after);
  const plain = fc
    .tuple(root, fc.array(name, { minLength: 1, maxLength: 4 }), file)
    .map(([[start, slash], folders, last]) => start + [...folders, last].join(slash));
  const bare = fc
    .tuple(
      fc.constantFrom("", "at ", "path=", "ENOENT:", "[", "<", "{", ", ", "-> ", "\n", "=> ", "|"),
      plain,
      fc.constantFrom("", ":1:2", ", x", "]", ">", "}", "; x", "\n", " (denied)", "."),
    )
    .map((texts) => texts.join(""));
  const other = fc.oneof(
    fc.constantFrom(
      "a tool's error: ",
      "http://example.com/a?b=c ",
      "'a' ",
      '"a" ',
      "(b) ",
      "1/2 ",
    ),
    fc.string({ maxLength: 20 }).map((text) => `${text.replace(/["'`“”‘’«»()\\/\w]/g, "")} `),
  );

  it("masks a path in any context", () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(other, fc.oneof(enclosed, bare)), { minLength: 1, maxLength: 4 }),
        (pairs) => {
          expect(maskPaths(pairs.flat().join(""))).not.toMatch(/zq|srv|host|C:/);
        },
      ),
      { numRuns: 3000 },
    );
  });

  it("never throws", () => {
    const bits = fc.constantFrom("'", '"', "(", ")", "/", "\\", "C:", "file:", "a", " ", "\n", ".");
    fc.assert(
      fc.property(fc.array(bits, { maxLength: 40 }), (texts) => {
        expect(typeof maskPaths(texts.join(""))).toBe("string");
      }),
    );
  });
});

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
    ["/key.pem: denied", "[path]: denied"],
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
  ])("masks in %j", (text, expected) => {
    expect(maskPaths(text)).toBe(expected);
  });

  it.each([
    "no route '/tools' (or /tools)",
    "see https://example.com/a/b,c/d (http://x.org/y) or postgres://db:5432/main/x",
    "5 km/h and/or 1/2, text/html, */*, I/O",
    "./src/x/y, ../src/x/y, src/x/y, src/**/x/y",
    "must match \\d+\\w+ or ^\\\\d{3}$",
    "// a comment: a, b; c:",
    "it's 'quoted' and \"so on\" (as is)",
  ])("leaves %j", (text) => {
    expect(maskPaths(text)).toBe(text);
  });

  it.each([
    ["/srv/a/b failed with text/html", "[path] failed with text/html"],
    ["/srv/a/b and/or N/A", "[path] and/or N/A"],
    ["(/srv/a/b does not exist)", "([path] does not exist)"],
    ["/srv/a/b: Could not open a/b", "[path]: Could not open a/b"],
  ])("leaves what follows the path in %j", (text, expected) => {
    expect(maskPaths(text)).toBe(expected);
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

  it("leaves nothing of a path, whatever stands around it", () => {
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

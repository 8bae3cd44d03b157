import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { watchedFiles } from "./watched-files.ts";

let folder: string;
const at = (...path: string[]): string => join(folder, ...path);
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "places-")));
  mkdirSync(at("real"));
  writeFileSync(at("real", "file"), "");
});
afterEach(() => rmSync(folder, { recursive: true }));

it.each<[string, [link: string, target: string][], string, [string, string[]][]]>([
  ["a plain file", [], "real/file", [["real", ["file"]]]],
  ["a file that is not there", [], "real/none", [["real", ["none"]]]],
  ["a folder that is not there", [], "none/file", [["", ["none"]]]],
  [
    "a link to a file",
    [["l", "real/file"]],
    "l",
    [
      ["", ["l"]],
      ["real", ["file"]],
    ],
  ],
  [
    "a link to a folder",
    [["l", "real"]],
    "l/file",
    [
      ["", ["l"]],
      ["real", ["file"]],
    ],
  ],
  ["a link upwards", [["real/l", "../real/file"]], "real/l", [["real", ["l", "file"]]]],
  ["a link to nothing", [["l", "none/x"]], "l", [["", ["l", "none"]]]],
  ["a link to itself", [["l", "l"]], "l", [["", ["l"]]]],
  [
    "links in a circle",
    [
      ["a", "b"],
      ["b", "./a/"],
    ],
    "a/file",
    [["", ["a", "b"]]],
  ],
])("returns the directories and names that a path depends on: %s", (_, links, file, expected) => {
  for (const [link, target] of links) symlinkSync(target, at(link));
  const places = [...watchedFiles(at(file))].map(([path, names]) => [path, [...names]]);
  expect(places).toEqual(expected.map(([path, names]) => [at(path).replace(/\/$/, ""), names]));
});

it("follows a link in the middle of a path", () => {
  symlinkSync(at("real"), at("l"));
  expect([...watchedFiles(at("l", "file"))]).toEqual([
    [folder, new Set(["l"])],
    [at("real"), new Set(["file"])],
  ]);
});

import { expect, it } from "vitest";
import { readRoute } from "../page/route.ts";
import { openTool } from "./open-tool.ts";

const LISTED = ["files:read_text_file", "files:a/b", "web/get", "web:get"];

it.each([
  ["#/tools", undefined],
  ["#/tools/files%3Aread_text_file", "files:read_text_file"],
  ["#/tools/files/read_text_file", "files:read_text_file"],
  ["#/tools/files/a/b", "files:a/b"],
  ["#/tools/files/none", "files/none"],
  // A tool with exactly this name has precedence.
  ["#/tools/web/get", "web/get"],
])("%s opens %s", (hash, name) => {
  expect(openTool(readRoute(hash, "tools").item, LISTED)).toBe(name);
});

it("keeps the name until the tools are loaded", () => {
  expect(openTool("files/read_text_file", undefined)).toBe("files/read_text_file");
});

import { expect, it } from "vitest";
import { readEntries } from "./entries.ts";
import { unwrapEntry } from "./unwrap-entry.ts";

const URL_OPTIONS = ["wrap", "--url", "https://x.example/mcp"];
const IN_THE_OPEN = 'has headers on its command line; replace it with "url" and "headers" by hand';
const OTHER_ENV = "its env must hold only its headers; change that first";

it.each([
  [["--header", "A=b"], {}, IN_THE_OPEN],
  [["--header-env", "A=VAR"], { env: { VAR: "b", MORE: "c" } }, OTHER_ENV],
  [["--header-env", "A=VAR"], { env: { MORE: "c" } }, OTHER_ENV],
  [["--header-env", "A=VAR"], { env: {} }, OTHER_ENV],
  [["--header-env", "A=VAR"], {}, OTHER_ENV],
  [[], { env: { MORE: "c" } }, OTHER_ENV],
])("leaves a URL wrapped with %j and %j", (options, more, left) => {
  const server = { command: "touchstone", args: [...URL_OPTIONS, ...options], ...more };
  const text = JSON.stringify({ mcpServers: { server } });
  expect(readEntries(text).map((entry) => unwrapEntry(text, entry))).toEqual([{ left }]);
});

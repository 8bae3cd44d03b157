import { describe, expect, it } from "vitest";
import {
  draftChanges,
  draftProblem,
  NEW_SERVER,
  newDraft,
  type ServerDraft,
} from "./server-edit.ts";

const pair = (name: string, value: string, more = {}) => ({
  ...{ name, value, isKnown: false, isRemoved: false },
  ...more,
});
const added: ServerDraft = { ...NEW_SERVER, name: "files", command: "npx", args: "-y\n server \n" };
const known = newDraft("web", "url", ["Authorization", "X-Old"]);

describe("the edit of a server", () => {
  it.each<readonly [string, ServerDraft, object]>([
    ["a new command", added, { command: "npx", args: ["-y", " server "] }],
    ["one without arguments", { ...added, args: "\n" }, { command: "npx" }],
    [
      "one with variables",
      { ...added, args: "", cwd: " /srv ", pairs: [pair(" A ", " b ")] },
      { command: "npx", cwd: "/srv", env: { A: " b " } },
    ],
    [
      "a new URL",
      { ...NEW_SERVER, kind: "url", url: " https://x.example/mcp ", command: "npx" },
      { url: "https://x.example/mcp" },
    ],
    ["one that was not touched", known, {}],
    [
      "a header that is removed, and one that is written",
      {
        ...known,
        pairs: [
          pair("Authorization", "Bearer n", { isKnown: true }),
          pair("X-Old", "", { isKnown: true, isRemoved: true }),
        ],
      },
      { headers: { Authorization: "Bearer n", "X-Old": null } },
    ],
  ])("of %s contains only what changes", (_what, draft, entry) => {
    expect(draftChanges(draft)).toEqual(entry);
  });

  it.each<readonly [ServerDraft, boolean, string | undefined]>([
    [NEW_SERVER, true, "Enter a name."],
    [{ ...added, command: " " }, true, "Enter a command."],
    [{ ...NEW_SERVER, kind: "url", name: "a" }, true, "Enter a URL."],
    [
      { ...NEW_SERVER, kind: "url", name: "a", url: "file:///x" },
      true,
      "A URL begins with https:// or http://.",
    ],
    [{ ...added, pairs: [pair("", "x")] }, true, "Enter the name of each variable, or remove it."],
    [{ ...added, pairs: [pair("A", "x"), pair("A", "y")] }, true, "The variable A is there twice."],
    [known, false, "Nothing has been changed yet."],
    [{ ...known, url: "https://x.example" }, false, undefined],
    [added, true, undefined],
  ])("reports why it cannot be saved: %#", (draft, isNew, problem) => {
    expect(draftProblem(draft, isNew)).toBe(problem);
  });
});

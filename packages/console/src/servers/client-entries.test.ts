import { describe, expect, it } from "vitest";
import { parseServers } from "../../../gateway/src/config/client-servers.ts";
import { CLIENT_ENTRIES } from "./client-entries.ts";

const NAMES = ["files", 'a"b\\c\u202e', "x'; touch y; '"];
const url = "http://127.0.0.1:7411/mcp/files";

describe.each(NAMES)("the entry of %j", (name) => {
  it.each(CLIENT_ENTRIES)(
    "for $label contains the URL, and a key only if one is required",
    (entry) => {
      const [open, keyed] = [false, true].map((hasKey) => entry.text({ name, url, hasKey }));
      expect(open).toContain(url);
      expect(open).not.toMatch(/api_key|authorization/i);
      expect(keyed).toMatch(/YOUR_API_KEY|TOUCHSTONE_API_KEY/);
      for (const text of [open ?? "", keyed ?? ""]) {
        if (!text.startsWith("{")) continue;
        const [servers] = Object.values(JSON.parse(text) as Record<string, object>);
        expect(Object.keys(servers ?? {})).toEqual([name]);
      }
    },
  );
});

it.each(["claude-code", "cursor", "vscode"])(
  "the entry for %s loads with its intended meaning",
  (id) => {
    const entry = CLIENT_ENTRIES.find((each) => each.id === id);
    const text = entry?.text({ name: "files", url, hasKey: true }) ?? "";
    const { servers } = parseServers(text, "mcp.json", { env: {} });
    expect(servers).toMatchObject([
      {
        name: "files",
        upstream: { type: "http", url, headers: { Authorization: "Bearer YOUR_API_KEY" } },
      },
    ]);
  },
);

it("quotes a command for the shell", () => {
  const command = CLIENT_ENTRIES.find(({ id }) => id === "claude-code-command");
  expect(command?.text({ name: "x'; rm y", url, hasKey: false })).toBe(
    `claude mcp add --transport http 'x'\\''; rm y' ${url}`,
  );
});

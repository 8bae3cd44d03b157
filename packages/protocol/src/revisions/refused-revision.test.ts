import { describe, expect, it } from "vitest";
import { readFrame } from "../read.ts";
import { refusedRevision } from "./refused-revision.ts";

const LEGACY = { method: "initialize", requested: "2025-11-25" };
const error = (code: number, data?: unknown): string =>
  JSON.stringify({ jsonrpc: "2.0", id: 1, error: { code, message: "no", data } });
const ONLY = "this server speaks only 2026-07-28, and this client asked for 2025-11-25";

describe("refusedRevision", () => {
  it.each<[string, string, { method: string; requested: string | undefined }, string | undefined]>([
    ["of 2026-07-28", error(-32022, { supported: ["2026-07-28"] }), LEGACY, ONLY],
    [
      "with the server's word for what was asked",
      error(-32022, { supported: ["2026-07-28"], requested: "2025-11-25" }),
      { method: "tools/list", requested: undefined },
      ONLY,
    ],
    [
      "of an older revision",
      error(-32602, { supported: ["2024-11-05"], requested: "1.0.0" }),
      LEGACY,
      "speaks only 2024-11-05, and this client asked for 2025-11-25",
    ],
    [
      "with several revisions",
      error(-32022, { supported: ["2025-06-18", "2024-11-05"] }),
      LEGACY,
      "use a client that speaks one of these",
    ],
    [
      "that contradicts itself",
      error(-32022, { supported: ["2025-11-25"] }),
      LEGACY,
      "refuses the revision 2025-11-25, although it names it as supported",
    ],
    [
      "with other params",
      error(-32602, { supported: ["x"] }),
      { ...LEGACY, method: "a" },
      undefined,
    ],
    ["without data", error(-32022), LEGACY, undefined],
    ["with data that is a list", error(-32022, ["2026-07-28"]), LEGACY, undefined],
    ["without revisions", error(-32022, { supported: [] }), LEGACY, undefined],
    ["with texts", error(-32022, { supported: ["\u001b[2J", "a b", 5, {}] }), LEGACY, undefined],
    ["with long data", error(-32022, { supported: ["1".repeat(20_000)] }), LEGACY, undefined],
    [
      "of an unknown request",
      error(-32022, { supported: ["2026-07-28"], requested: 5 }),
      { method: "initialize", requested: undefined },
      undefined,
    ],
    ["not: it is another error", error(-32601, { supported: ["2026-07-28"] }), LEGACY, undefined],
  ])("reads an error %s", (_, text, of, says) => {
    const found = refusedRevision(readFrame(Buffer.from(text)), of);
    if (says === undefined) expect(found).toBeUndefined();
    else expect(found).toContain(says);
  });

  it("names eight revisions at most", () => {
    const supported = Array.from({ length: 1_000 }, (_, i) => `v${i}`);
    const found = refusedRevision(readFrame(Buffer.from(error(-32022, { supported }))), LEGACY);
    expect(found).toContain("v0, v1, v2, v3, v4, v5, v6, v7, and this");
  });
});

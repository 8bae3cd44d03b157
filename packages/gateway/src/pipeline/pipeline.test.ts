import { describe, expect, it } from "vitest";
import type { Mode } from "../settings/validation.ts";
import {
  ADD,
  all,
  call,
  Harness,
  LEGACY,
  MODERN,
  PLAIN,
  parse,
  result,
} from "./testing/harness.ts";

const MODES: Mode[] = ["off", "warn", "strict"];
const REVISIONS = ["2025-06-18", LEGACY, MODERN];
const STRUCTURED: [string | undefined, boolean][] = [
  // Source text, and whether it meets the output schema of `add`.
  [undefined, false],
  ["null", false],
  ["{}", false],
  ['{"sum":1.0}', true],
  ['{"sum":9007199254740993.5}', false],
  ['{"sum":9007199254740993}', true],
  ["[]", false],
  ["0", false],
  ["false", false],
];

describe("a result's structured content", () => {
  const table = MODES.flatMap((mode) =>
    REVISIONS.flatMap((revision) =>
      STRUCTURED.flatMap(([structured, fits]) =>
        [false, true].flatMap((isError) =>
          [ADD, PLAIN].map((tool) => ({ mode, revision, structured, fits, isError, tool })),
        ),
      ),
    ),
  );
  it.each(table)(
    "$tool.name in $mode, $revision: $structured, isError $isError",
    async ({ mode, revision, structured, fits, isError, tool }) => {
      const h = new Harness({ settings: all(mode), revision });
      await h.list([ADD, PLAIN]);
      await h.client(call(1, tool.name, '{"a":1}', "", revision));
      const type = revision === MODERN ? '"resultType":"complete",' : "";
      const content = '"content":[{"type":"text","text":"{\\"sum\\": \\u0041 1e2}"}]';
      const rest = structured === undefined ? "" : `,"structuredContent":${structured}`;
      const error = isError ? ',"isError":true' : "";
      const frame = h.read(result(1, `{${type}${content}${rest}${error}}`));

      const { onward, back } = await h.server(frame);

      const judged = mode !== "off" && tool === ADD && !isError && structured !== undefined;
      // Up to 2025-11-25 the message itself is invalid, even if no schema is applied to it.
      const isWrong = structured !== undefined && !structured.startsWith("{");
      const breaks = mode !== "off" && revision !== MODERN && isWrong && !judged;
      const fails = (judged && !fits) || breaks;
      const decisions = h.records("policy_decision");
      expect(back).toBeUndefined();
      expect(decisions).toHaveLength(fails ? 1 : 0);
      const [record, ...more] = h.records("tool_call");
      expect(more).toEqual([]);
      if (fails && mode === "strict") {
        const stand = parse(onward);
        expect(stand["id"]).toBe(1);
        expect(record?.status).toBe("blocked");
        if (breaks) expect(stand).toMatchObject({ error: { code: -32603 } });
      }
      if (judged && fails && mode === "strict") {
        const stand = parse(onward);
        expect(stand["result"]).toMatchObject({
          isError: true,
          content: [{ text: expect.stringMatching(/^output schema validation failed: /) }],
          ...(revision === MODERN ? { resultType: "complete" } : {}),
        });
        if (revision !== MODERN) expect(stand["result"]).not.toHaveProperty("resultType");
      } else if (mode !== "strict" || !fails) {
        expect(onward).toBe(frame.bytes);
        expect(record?.status).toBe(isError ? "error" : fails ? "warning" : "success");
      }
      if (fails) {
        expect(decisions[0]).toMatchObject({
          direction: breaks ? "protocol" : "output",
          mode,
          tool: tool.name,
          request_id: record?.request_id,
          decision: mode === "strict" ? "blocked" : "warning",
        });
        expect(decisions[0]?.issues.length).toBeGreaterThan(0);
      }
    },
  );

  it.each(REVISIONS)("may be missing if a result requests input, only on %s", async (revision) => {
    const h = new Harness({
      settings: all("strict", { missingStructuredContent: "block" }),
      revision,
    });
    await h.list([ADD]);
    await h.client(call(1, "add", '{"a":1}', "", revision));
    // In earlier revisions, a result must have content, and these two members have no meaning.
    const content = revision === MODERN ? "" : '"content":[],';
    const asks = '"resultType":"input_\\u0072equired","inputRequests":{}';
    const frame = h.read(result(1, `{${content}${asks}}`));
    const { onward } = await h.server(frame);
    if (revision === MODERN) expect(onward).toBe(frame.bytes);
    else expect(parse(onward)["result"]).toMatchObject({ isError: true });
  });

  it.each([
    ["warn", '{"sum":"no"}', ["protocol", "output"]],
    ["strict", '{"sum":"no"}', ["protocol"]],
    ["strict", '{"sum":1}', ["protocol"]],
  ] as const)("is checked in %s even if a result requests input: %s", async (mode, text, found) => {
    const h = new Harness({ settings: all(mode), revision: MODERN });
    await h.list([ADD]);
    await h.client(call(1, "add", '{"a":1}', "", MODERN));
    const asks = '"resultType":"input_required","requestState":"s"';
    const frame = h.read(result(1, `{${asks},"content":[],"structuredContent":${text}}`));
    const { onward } = await h.server(frame);
    if (mode === "warn") expect(onward).toBe(frame.bytes);
    else expect(parse(onward)).toMatchObject({ error: { code: -32603 } });
    expect(h.records("policy_decision").map(({ direction }) => direction)).toEqual(found);
  });

  it.each([
    ["off", "block", false],
    ["warn", "block", false],
    ["strict", "allow", false],
    ["strict", "block", true],
  ] as const)(
    "may be missing in %s with %s, or is blocked",
    async (mode, missingStructuredContent, blocked) => {
      const h = new Harness({ settings: all(mode, { missingStructuredContent }) });
      await h.list([ADD]);
      await h.client(call(1, "add", '{"a":1}'));
      const frame = h.read(result(1, '{"content":[]}'));
      const { onward } = await h.server(frame);
      expect(onward === frame.bytes).toBe(!blocked);
      expect(h.records("policy_decision")).toHaveLength(blocked ? 1 : 0);
      expect(h.records("tool_call")).toMatchObject([
        {
          outcome: mode === "off" ? "skipped" : "missing",
          status: blocked ? "blocked" : "success",
        },
      ]);
    },
  );

  it("may be missing in a JSON-RPC error", async () => {
    const h = new Harness({ settings: all("strict", { missingStructuredContent: "block" }) });
    await h.list([ADD]);
    await h.client(call(1, "add", '{"a":1}'));
    const frame = h.read({ jsonrpc: "2.0", id: 1, error: { code: -32602, message: "no" } });
    expect((await h.server(frame)).onward).toBe(frame.bytes);
    expect(h.records("tool_call")).toMatchObject([{ status: "error", decision: "allowed" }]);
    expect(h.records("policy_decision")).toEqual([]);
  });
});

import { describe, expect, it } from "vitest";
import { long } from "../../../core/src/testing/sample.ts";
import { closing } from "../testing/closing.ts";
import { inText, type Script } from "../testing/scripted.ts";
import { ANNOUNCED, GOOD, validating } from "../testing/validated.ts";

const start = validating(closing());

describe.each(["v1", "v2"] as const)(
  "a ToolValidator whose server fails, with a %s client",
  (generation) => {
    const failures: [string, Script["answer"], string, string][] = [
      ["lacks the tool", () => Promise.reject(new Error("no such tool")), "failed", "no such tool"],
      [
        "answers an error result",
        () => ({ content: [{ type: "text", text: "disk gone" }], isError: true }),
        "failed",
        "disk gone",
      ],
      [
        "answers prose",
        () => ({ content: [{ type: "text", text: "fine" }] }),
        "invalid_answer",
        "JSON",
      ],
      ["answers nothing", () => ({ content: [] }), "invalid_answer", "neither"],
      ["answers no verdict", () => inText({ ok: true }), "invalid_answer", '"valid"'],
      ["answers bad lists", () => inText({ valid: true, errors: [1] }), "invalid_answer", "arrays"],
      ["never answers", () => new Promise(() => {}), "timeout", "within 50 ms"],
    ];
    it.each(failures)(
      "distinguishes failure from missing support if a server %s",
      async (...row) => {
        const [, answer, status, detail] = row;
        const script = { announced: ANNOUNCED, ...(answer === undefined ? {} : { answer }) };
        const { validator, seen, lines } = await start(script, { timeoutMs: 50 }, generation);
        for (let i = 0; i < 2; i++) {
          expect(await validator.validateTool("files:write_file", GOOD)).toMatchObject({
            valid: true,
            method: "schema",
            native: { status, detail: expect.stringContaining(detail) },
          });
        }
        expect(seen).toHaveLength(2);
        expect(lines).toHaveLength(1);
      },
    );

    it("logs each reason once, up to a limit", async () => {
      let reason = "first";
      const answer = () => Promise.reject(new Error(reason));
      const { validator, lines } = await start({ announced: ANNOUNCED, answer }, {}, generation);
      await validator.validateTool("files:validate", GOOD);
      for (reason of ["first", "second", "second"]) {
        await validator.validateTool("files:write_file", GOOD);
      }
      expect(lines.filter((line) => line.includes("first"))).toHaveLength(1);
      expect(lines.filter((line) => line.includes("second"))).toHaveLength(1);
      for (let i = 0; i < 40; i++) {
        reason = `reason ${i}`;
        await validator.validateTool("files:write_file", GOOD);
      }
      expect(lines).toHaveLength(21);
      expect(lines.at(-1)).toContain("no further reasons");
    });

    it("limits the size of a response, and counts the rest", long, async () => {
      const errors = Array.from({ length: 3000 }, (_, i) => `${i} ${"x".repeat(3000)}`);
      const issues = errors.map((message) => ({
        level: "runtime",
        severity: "error",
        path: "/path",
        message,
      }));
      const verdict = { valid: false, errors, warnings: errors, suggestions: errors, issues };
      const script = { announced: ANNOUNCED, answer: () => inText({ ...verdict, truncated: 0.5 }) };
      const { validator } = await start(script, {}, generation);
      const result = await validator.validateTool("files:write_file", { path: 1 });
      expect(result).toMatchObject({ valid: false, method: "native" });
      expect(Buffer.byteLength(JSON.stringify(result))).toBeLessThan(16_384);
      const kept = result.errors.filter((error) => error.startsWith("0 ")).length;
      expect(kept).toBe(1);
      expect(result.truncated).toBe(6000 - (result.errors.length - 1) - result.warnings.length);
    });

    it("treats a contradictory response as not valid", async () => {
      const issue = {
        level: "security",
        severity: "error",
        path: "/path",
        message: "is forbidden",
      };
      const answer = () => inText({ valid: true, errors: [], issues: [issue] });
      const { validator } = await start({ announced: ANNOUNCED, answer }, {}, generation);
      expect(await validator.validateTool("files:write_file", GOOD)).toMatchObject({
        valid: false,
        errors: ["/path is forbidden"],
        issues: [issue],
      });
    });

    it.each([
      [{ batchValidation: true, maxBatchSize: 2 }, 1],
      [{}, 4],
    ])("does not wait again for a silent server (%j)", async (batches, asked) => {
      const announced = { ...ANNOUNCED, ...batches };
      const answer = () => new Promise<never>(() => {});
      const { validator, seen } = await start({ announced, answer }, { timeoutMs: 50 }, generation);
      const calls = Array.from({ length: 9 }, (_, i) => ({
        tool: "files:write_file",
        arguments: { path: `${i}` },
      }));
      expect(await validator.validateTools(calls)).toMatchObject(
        calls.map(() => ({ valid: true, method: "schema", native: { status: "timeout" } })),
      );
      expect(seen).toHaveLength(asked);
    });

    it("rejects a batch response of the wrong length", async () => {
      const announced = { supported: true, batchValidation: true };
      const answer = () => inText({ results: [{ valid: true }] });
      const { validator } = await start({ announced, answer }, {}, generation);
      const call = { tool: "files:write_file", arguments: GOOD };
      const results = await validator.validateTools([call, { ...call, arguments: { path: "b" } }]);
      expect(results).toMatchObject(
        new Array(2).fill({ method: "schema", native: { status: "invalid_answer" } }),
      );
    });
  },
);

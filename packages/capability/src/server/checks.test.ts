import { getEventListeners } from "node:events";
import { describe, expect, it } from "vitest";
import { closing } from "../testing/closing.ts";
import { call } from "../testing/sdk.ts";
import { announced, GOOD, starter } from "../testing/wrapped.ts";
import type { CheckContext } from "./checks.ts";

const start = starter(closing());

it.each([
  [{ maxBytes: 5 }, "maxBytes"],
  [{ maxDepth: 1 }, "maxDepth"],
  [undefined, undefined],
])("limits arguments in schema checks: %j", async (limits, keyword) => {
  const { validate } = await start({ limits });
  const verdict = await validate(GOOD);
  const guards = keyword === undefined ? [] : [{ level: "syntax", keyword }];
  expect(verdict).toMatchObject({ valid: keyword === undefined, issues: guards });
});

describe("the author's checks", () => {
  it.each([
    [
      "throws",
      () => {
        throw new Error("/secret/path");
      },
      "failed",
      "check_failed",
    ],
    [
      "rejects",
      async () => {
        throw new Error("/secret/path");
      },
      "failed",
      "check_failed",
    ],
    ["gives true", () => true, "failed", "check_failed"],
    ["gives a list", () => ["x"], "failed", "check_failed"],
    ["gives bad findings", () => ({ errors: [1] }), "failed", "check_failed"],
    ["never ends", () => new Promise(() => {}), "timeout", "check_timeout"],
  ])("are contained if one %s", async (...row) => {
    const [, check, reason, code] = row;
    const checks = { write_file: { runtime: check as never } };
    const { validate, faults } = await start({ checks, checkTimeoutMs: 20 });
    const verdict = await validate(GOOD);
    expect(verdict).toMatchObject({
      valid: false,
      issues: [{ level: "runtime", severity: "error" }],
      levelsNotRun: [{ level: "semantic" }, { level: "runtime", reason }, { level: "security" }],
    });
    expect(JSON.stringify(verdict)).not.toContain("secret");
    expect(faults).toMatchObject([{ code, tool: "write_file" }]);
  });

  it("return a hundred findings of each kind, and a count of the rest", async () => {
    const texts = Array.from({ length: 150 }, (_, i) => `${i}`);
    const semantic = () => ({ errors: texts, warnings: texts.slice(0, 120) });
    const { validate } = await start({ checks: { write_file: { semantic } } });
    const verdict = (await validate(GOOD)) as { issues: readonly unknown[]; truncated: number };
    expect(verdict.issues.length + verdict.truncated).toBe(270);
  });

  it("are aborted at their timeout", async () => {
    const contexts: CheckContext[] = [];
    const runtime = (_args: unknown, context: CheckContext) => {
      contexts.push(context);
      return new Promise<undefined>(() => {});
    };
    const { validate } = await start({ checks: { write_file: { runtime } }, checkTimeoutMs: 20 });
    await validate(GOOD);
    expect(contexts).toMatchObject([{ tool: "write_file", level: "runtime" }]);
    expect(contexts[0]?.signal.aborted).toBe(true);
    expect(contexts[0]).not.toHaveProperty("request");
  });

  it("receive the request's context if they declare that", async () => {
    const contexts: CheckContext[] = [];
    const semantic = (_args: unknown, context: CheckContext) => {
      contexts.push(context);
      return undefined;
    };
    const checks = { write_file: { semantic } };
    const { validate, client } = await start({ checks, contextAware: true });
    await validate(GOOD);
    expect(announced(client)).toMatchObject({ contextAware: true });
    expect(contexts[0]?.request).toHaveProperty("mcpReq");
  });

  it("do not accumulate listeners on the signal of a batch", async () => {
    const listeners: number[] = [];
    const check = async (_args: unknown, { request }: CheckContext) => {
      const { mcpReq } = request as { mcpReq: { signal: AbortSignal } };
      listeners.push(getEventListeners(mcpReq.signal, "abort").length);
      return undefined;
    };
    const { client } = await start({ levels: { semantic: check }, contextAware: true });
    const calls = new Array(3).fill({ tool: "write_file", arguments: GOOD });
    await call(client, "validate", { calls });
    expect(listeners).toEqual([0, 0, 0]);
  });

  it("are aborted by a cancellation, without a fault", async () => {
    const cancel = new AbortController();
    const seen: AbortSignal[] = [];
    let aborted: () => void = () => {};
    const ended = new Promise<void>((resolve) => {
      aborted = resolve;
    });
    const runtime = (_args: unknown, { signal }: CheckContext) => {
      seen.push(signal);
      signal.addEventListener("abort", () => aborted());
      cancel.abort();
      return new Promise<undefined>(() => {});
    };
    const { client, faults } = await start({ checks: { write_file: { runtime } } });
    const request = { name: "validate", arguments: { tool: "write_file", arguments: GOOD } };
    const { signal } = cancel;
    await expect(client.callTool(request, { signal } as never)).rejects.toThrow();
    await ended;
    expect(seen[0]?.aborted).toBe(true);
    expect(faults).toEqual([]);
  });

  it("cannot change what other checks see", async () => {
    const seen: unknown[] = [];
    const semantic = (args: Readonly<Record<string, unknown>>) => {
      seen.push({ ...args });
      Object.assign(args, { path: "changed" });
      return undefined;
    };
    const { validate } = await start({
      checks: { write_file: { semantic: [semantic, semantic] } },
    });
    await validate(GOOD);
    expect(seen).toEqual([GOOD, GOOD]);
  });

  it("in levels run for every tool, before the tool's own", async () => {
    const { validate } = await start({
      levels: { security: () => ({ errors: ["all"] }) },
      checks: { write_file: { security: () => ({ errors: ["own"] }) } },
    });
    expect(await validate(GOOD)).toMatchObject({ errors: ["all", "own"] });
  });

  it("at the syntax level end the validation like the schema", async () => {
    const ran: string[] = [];
    const runtime = () => {
      ran.push("runtime");
      return undefined;
    };
    const syntax = () => ({ errors: ["bad form"] });
    const { validate } = await start({ checks: { write_file: { syntax, runtime } } });
    expect(await validate(GOOD)).toMatchObject({
      errors: ["bad form"],
      levelsNotRun: [{}, { level: "runtime", reason: "syntax_failed" }, {}],
    });
    expect(ran).toEqual([]);
  });

  it("run at the levels of a batch, except for calls that name their own", async () => {
    const ran: string[] = [];
    const { client } = await start({
      levels: {
        semantic: () => void ran.push("semantic"),
        runtime: () => void ran.push("runtime"),
      },
    });
    const one = { tool: "write_file", arguments: GOOD };
    const ask = (levels: unknown) =>
      call(client, "validate", { calls: [one, { ...one, levels: ["runtime"] }], levels });
    const answer = await ask(["syntax"]);
    expect(ran).toEqual(["runtime"]);
    expect(answer).toMatchObject({
      structuredContent: { results: [{ levelsNotRun: [{ reason: "not_requested" }, {}, {}] }, {}] },
    });
    expect(await ask("all")).toMatchObject({ isError: true });
    expect(ran).toEqual(["runtime"]);
  });

  it("run at the requested levels", async () => {
    const check = (name: string) => () => ({ warnings: [name] });
    const { validate } = await start({
      checks: { write_file: { semantic: check("semantic"), runtime: check("runtime") } },
    });
    expect(await validate(GOOD, { levels: ["runtime", "security", "deep"] })).toMatchObject({
      valid: true,
      warnings: ["runtime"],
      levelsNotRun: [
        { level: "semantic", reason: "not_requested" },
        { level: "security", reason: "not_served" },
        { level: "deep", reason: "not_served" },
      ],
    });
  });

  it("for an unknown tool are reported", async () => {
    const { faults } = await start({ checks: { wriet_file: { semantic: () => undefined } } });
    expect(faults).toMatchObject([{ code: "unknown_tool", tool: "wriet_file" }]);
  });
});

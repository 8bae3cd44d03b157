import { expect, it, vi } from "vitest";
import { validateBatch } from "./batch.ts";
import { call } from "./call.ts";
import { createHandler, fromFetch } from "./fetch.ts";
import { createJudge, type Judge } from "./judge.ts";
import { post } from "./testing/fixtures.ts";

const bounds = { maxBytes: 1000, maxDepth: 64, maxIssues: 10, paths: "field" } as const;
const judged = createJudge({ ...bounds, checks: undefined, report: () => {} });
const tools = async () => new Map([["open", { name: "open", inputSchema: { type: "object" } }]]);
const limits = { maxBodyBytes: 10_000, maxIssues: 10, maxObjectKeys: 100, maxKeys: 100 };

/** Sends a request whose client leaves while the first call is checked. */
function leavesWhileJudged(text: string) {
  const leaving = new AbortController();
  const judge = vi.fn<Judge>((...given) => {
    leaving.abort();
    return judged(...given);
  });
  const init = { ...post(text), signal: leaving.signal };
  return { judge, request: fromFetch(new Request("http://localhost/", init)) };
}

it("stops checking a batch once its client has left", async () => {
  const calls = Array(3).fill({ tool: "open", arguments: {} });
  const { judge, request } = leavesWhileJudged(JSON.stringify({ calls }));
  await validateBatch({ ...limits, tools, judge, whyMissing: () => undefined }, request);
  expect(judge).toHaveBeenCalledOnce();
});

it("does not run a tool once its client has left", async () => {
  const { judge, request } = leavesWhileJudged("{}");
  const handleCall = vi.fn();
  const report = vi.fn();
  const none = {
    authHook: undefined,
    admit: undefined,
    onRefused: undefined,
    onRepaired: undefined,
  };
  const options = { allowExecute: true, ...none, repair: [], whyMissing: () => undefined };
  const execution = { ...limits, ...options, tools, judge, handleCall, report };
  const rest = { toolErrorStatus: 200, callTimeoutMs: undefined, hostTimeoutMs: 30_000 };
  const { status } = await call({ ...execution, ...rest }, request, "open");
  expect(status).toBe(499);
  expect(judge).toHaveBeenCalledOnce();
  expect(handleCall).not.toHaveBeenCalled();
});

it.each(["as its client leaves", "too late"])("cancels the response of a hook %s", async (when) => {
  const leaving = new AbortController();
  let cancel: () => void = () => {};
  const cancelled = new Promise<void>((resolve) => {
    cancel = resolve;
  });
  const answer = () => new Response(new ReadableStream({ cancel: () => cancel() }));
  const authHook = async (): Promise<Response | undefined> => {
    leaving.abort();
    if (when === "too late") await new Promise((resolve) => setImmediate(resolve));
    return answer();
  };
  const handler = createHandler([{ name: "open" }], vi.fn(), { allowExecute: true, authHook });
  const init = { ...post("{}"), signal: leaving.signal };
  const { status } = await handler(new Request("http://localhost/tools/open/call", init));
  expect(status).toBe(499);
  await cancelled;
});

import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { SharedRequests } from "./context.ts";
import type { PendingRequest } from "./in-flight.ts";
import { ADD, call, Harness, modes, parse, result } from "./testing/harness.ts";

const WRONG = '{"content":[],"structuredContent":{"sum":"no"}}';
const STRICT = modes({ output: "strict" });

/** Simulates gateways that all know the requests that one of them has announced, and which calls have records. */
class Announced implements SharedRequests {
  readonly recorded: Set<string> = new Set();
  readonly requests: Map<string, PendingRequest> = new Map();
  readonly answered: SharedRequests["answered"] = vi.fn();
  readonly find: SharedRequests["find"] = vi.fn(async (session, idKey, id) => {
    const request = this.requests.get(`${session} ${idKey}`);
    if (request === undefined) return undefined;
    const recorded = this.recorded.has(request.call?.requestId ?? "");
    return { ...request, id, ...(request.call ? { call: { ...request.call, recorded } } : {}) };
  });
  readonly isRecorded: SharedRequests["isRecorded"] = vi.fn(async (id) => this.recorded.has(id));

  async announce(session: string, requests: ReadonlyMap<string, PendingRequest>): Promise<void> {
    for (const [key, request] of requests) this.requests.set(`${session} ${key}`, request);
  }
}

/** Two gateways; the first one received a call, and announced it to the second. */
async function sharing(settings = STRICT, more = {}) {
  const shared = new Announced();
  const options = { settings, sharedRequests: shared, whole: true };
  const [one, other] = [new Harness({ ...options, ...more }), new Harness(options)];
  await one.list([ADD]);
  await one.client(call(9, "add", '{"a":1}'), () => {});
  await one.pipeline.announce(["n9", "nobody"]);
  const resume = async (h: Harness, answer: string) =>
    (await h.pipeline.fromServer(h.read(answer), { resumed: true, resumable: true })).onward;
  return { shared, one, other, resume };
}

describe("a response to a request that another gateway forwarded", () => {
  it("is checked by the call's contract and recorded, each once", async () => {
    const { shared, other, resume } = await sharing();
    expect(parse(await resume(other, result(9, WRONG)))).toMatchObject({
      id: 9,
      result: { isError: true },
    });
    expect(other.records("policy_decision")).toMatchObject([
      { tool: "add", direction: "output", decision: "blocked" },
    ]);
    expect(other.records("tool_call")).toMatchObject([{ tool: "add", status: "blocked" }]);
    // The same response may arrive again.
    expect(parse(await resume(other, result(9, WRONG)))).toMatchObject({
      result: { isError: true },
    });
    expect(other.records("tool_call")).toHaveLength(1);
    expect(shared.find).toHaveBeenCalledOnce();
  });

  it("is not recorded again if the other gateway wrote a record", async () => {
    const { shared, one, other, resume } = await sharing();
    await one.pipeline.end("the gateway stops");
    expect(one.records("tool_call")).toMatchObject([{ status: "error" }]);
    shared.recorded.add(one.records("tool_call")[0]?.request_id ?? "");
    const frame = result(9, '{"content":[],"structuredContent":{"sum":1}}');
    expect(Buffer.from((await resume(other, frame)) ?? []).toString()).toBe(frame);
    expect(other.activity.records).toEqual([]);
  });

  it("is forwarded with a warning in warn", async () => {
    const { other, resume } = await sharing(modes());
    expect(Buffer.from((await resume(other, result(9, WRONG))) ?? []).toString()).toBe(
      result(9, WRONG),
    );
    expect(other.records("policy_decision")).toMatchObject([
      { tool: "add", direction: "output", decision: "warning" },
    ]);
  });

  it("is looked up only on a resumed stream, and blocked if its request is unknown", async () => {
    const { shared, other, resume } = await sharing();
    expect(await other.server(result(9, WRONG))).toEqual({});
    expect(shared.find).not.toHaveBeenCalled();
    expect(parse(await resume(other, result(8, WRONG)))).toMatchObject({
      id: 8,
      error: { message: expect.stringMatching(/has not seen the request/) },
    });
  });
});

describe("a request that is shared with other gateways", () => {
  it("is announced while it is pending, but not once it is answered", async () => {
    const { shared, one } = await sharing();
    expect([...shared.requests.keys()]).toEqual(["sha256:s n9"]);
    expect((await one.server(result(9, WRONG))).onward).toBeDefined();
    expect(shared.answered).toHaveBeenCalledWith("sha256:s", "n9");
    const announce = vi.spyOn(shared, "announce");
    await one.pipeline.announce(["n9"]);
    expect(announce).not.toHaveBeenCalled();
    expect(shared.isRecorded).not.toHaveBeenCalled();
  });

  it.each([
    ["when it ends", (h: Harness) => h.pipeline.end("the session ended")],
    ["when it fails", (h: Harness) => h.pipeline.fail("n9", "the server was removed")],
    [
      "when its answer comes here as well",
      (h: Harness) => h.pipeline.fromServer(h.read(result(9, "{}")), { resumed: true }),
    ],
  ])("is not recorded again %s", async (_, end) => {
    for (const written of [true, false]) {
      const { shared, one } = await sharing(modes());
      const [request] = shared.requests.values();
      if (written) shared.recorded.add(request?.call?.requestId ?? "");
      await end(one);
      expect(one.records("tool_call")).toHaveLength(written ? 0 : 1);
    }
  });

  it("is not recorded again when it times out", async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    for (const written of [true, false]) {
      const { shared, one } = await sharing(modes(), { callTimeoutMs: 1_000 });
      const [request] = shared.requests.values();
      if (written) shared.recorded.add(request?.call?.requestId ?? "");
      await vi.advanceTimersByTimeAsync(1_000);
      expect(one.records("tool_call")).toHaveLength(written ? 0 : 1);
    }
  });
});

it("never touches the shared store for a request that was not announced", async () => {
  const { shared, one } = await sharing(modes());
  await one.client(call(10, "add", '{"a":1}'));
  await one.client(call(11, "add", '{"a":1}'));
  await one.pipeline.fail("n10", "the server was removed");
  await one.server(result(11, "{}"));
  expect(one.records("tool_call")).toHaveLength(2);
  expect(shared.isRecorded).not.toHaveBeenCalled();
  expect(shared.answered).not.toHaveBeenCalled();
});

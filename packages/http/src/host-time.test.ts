import { expect, it } from "vitest";
import { describeOf } from "../../core/src/testing/sample.ts";
import type { AuthHook, HostJudge } from "./index.ts";
import { openClient } from "./testing/client.ts";
import { DOORS, isFirst } from "./testing/doors.ts";
import { CALL, execution, GOOD } from "./testing/execution.ts";
import { post } from "./testing/fixtures.ts";

const NEVER = new Promise<never>(() => {});

describeOf(DOORS, isFirst)("a slow host in $name", ({ open }) => {
  const { faults, handleCall, start } = execution(open);

  it("is abandoned if its tools never arrive", async () => {
    const given: AbortSignal[] = [];
    const told: unknown[] = [];
    const tools = ({ signal }: { signal: AbortSignal }): Promise<never> => {
      given.push(signal);
      return NEVER;
    };
    const onFault = (fault: object): void => void told.push(fault);
    const options = { allowExecute: true, hostTimeoutMs: 20, onFault };
    const client = await openClient(open, tools, handleCall, options);
    try {
      const error = "The list of tools is not available. Try again later.";
      for (const path of ["/tools", "/tools/get_weather"]) {
        expect(await client.send(path, {})).toMatchObject({ status: 500, body: { error } });
      }
      expect(await client.send(CALL, GOOD)).toMatchObject({ status: 500, body: { error } });
      const validated = await client.send("/tools/get_weather/validate", post("{}"));
      expect(validated).toMatchObject({ status: 200, body: { valid: false } });
    } finally {
      await client.api.close();
    }
    expect(handleCall).not.toHaveBeenCalled();
    const message = "the tools function did not end within 20 ms";
    expect(told).toEqual(Array(4).fill({ code: "tools_unavailable", message }));
    expect(given.map(({ reason }) => reason.name)).toEqual(Array(4).fill("TimeoutError"));
  });

  it("gets no tool run if its hook decides too late", async () => {
    const given: AbortSignal[] = [];
    let late: Promise<Response> | undefined;
    const authHook: AuthHook = ({ signal }, next) => {
      given.push(signal);
      signal.addEventListener("abort", () => {
        late = next();
      });
      return NEVER;
    };
    const send = await start({ authHook, hostTimeoutMs: 20 });
    const error =
      "The server could not decide in time whether this call is allowed. Try again later.";
    expect(await send(CALL)).toMatchObject({ status: 500, body: { error } });
    expect((await late)?.status).toBe(500);
    expect(handleCall).not.toHaveBeenCalled();
    expect(given.map(({ reason }) => reason.name)).toEqual(["TimeoutError"]);
    const message = "the auth hook did not end within 20 ms, not counting the call";
    expect(faults).toEqual([{ code: "auth_timeout", message }]);
  });

  it("withholds a response if its hook never returns", async () => {
    const authHook: AuthHook = async (_, next) => {
      await next();
      return NEVER;
    };
    const send = await start({ authHook, hostTimeoutMs: 20 });
    expect((await send(CALL)).status).toBe(500);
    expect(handleCall).toHaveBeenCalledOnce();
    expect(faults.map(({ code }) => code)).toEqual(["auth_timeout"]);
  });

  it("does not count the call's time as the hook's", async () => {
    const signals: AbortSignal[] = [];
    const send = await start({
      hostTimeoutMs: 20,
      callTimeoutMs: 40,
      authHook: ({ signal }, next) => {
        signals.push(signal);
        return next();
      },
    });
    handleCall.mockImplementationOnce(() => NEVER);
    expect((await send(CALL)).body.content[0].text).toMatch(/^The tool did not end within 40 ms/);
    expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
    expect(faults.map(({ code }) => code)).toEqual(["handler_timeout"]);
  });

  it("gets status 500 if onRefused never ends", async () => {
    const send = await start({ onRefused: () => NEVER, hostTimeoutMs: 20 });
    expect((await send(CALL, post("{}"))).status).toBe(500);
    expect(faults).toMatchObject([{ code: "refusal_failed", tool: "get_weather" }]);
    expect(handleCall).not.toHaveBeenCalled();
  });

  it.each([
    ["never resolves", () => NEVER, "did not end within 20 ms"],
    [
      "throws",
      () => {
        throw new Error("no rules");
      },
      "failed",
    ],
    ["rejects", () => Promise.reject(new Error("no rules")), "failed"],
    ["returns nothing", () => undefined as never, "failed"],
  ])("makes no call if its judge %s", async (_, judgement, why) => {
    const given: AbortSignal[] = [];
    const judge: HostJudge = ({ signal }) => {
      given.push(signal);
      return judgement();
    };
    const send = await start({ judge, hostTimeoutMs: 20 });
    const unchecked = {
      valid: false,
      checked: false,
      errors: [{ path: "", message: expect.stringContaining("the check was not made") }],
    };
    const called = { isError: true, structuredContent: unchecked };
    expect(await send(CALL)).toMatchObject({ status: 200, body: called });
    const validated = await send("/tools/get_weather/validate", post("{}"));
    expect(validated).toMatchObject({ status: 200, body: unchecked });
    const call = { tool: "get_weather", arguments: {} };
    const batch = await send("/validate", post(JSON.stringify({ calls: [call, call] })));
    expect(batch).toMatchObject({ status: 200, body: { results: [unchecked, unchecked] } });
    expect(handleCall).not.toHaveBeenCalled();
    const message = `the function that judges calls ${why}`;
    const fault = { code: "checks_failed", message, tool: "get_weather" };
    expect(faults).toMatchObject(Array(4).fill(fault));
    const isLate = why !== "failed";
    expect(given.map(({ aborted }) => aborted)).toEqual(Array(4).fill(isLate));
  });

  it("does not hear a judge that decides too late", async () => {
    let decideNow: () => void = () => {};
    const late = new Promise<void>((resolve) => {
      decideNow = resolve;
    });
    const none = { warnings: [], suggestions: [], errors: [], counts: {} };
    const check = { valid: true, outcome: "pass", ...none } as const;
    const judge: HostJudge = ({ signal }) =>
      new Promise((resolve) => {
        signal.addEventListener("abort", () => {
          resolve({ decision: "allowed", check, isHandled: true });
          decideNow();
        });
      });
    const send = await start({ judge, hostTimeoutMs: 20 });
    expect((await send(CALL)).body.isError).toBe(true);
    await late;
    expect(handleCall).not.toHaveBeenCalled();
  });
});

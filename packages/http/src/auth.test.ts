import { describe, expect, it, vi } from "vitest";
import type { AuthHook, UIConfig } from "./index.ts";
import { DOORS } from "./testing/doors.ts";
import { CALL, execution, GOOD, textContent } from "./testing/execution.ts";
import { post } from "./testing/fixtures.ts";

describe.each(DOORS)("the auth hook in $name", ({ open }) => {
  const { faults, handleCall, served, start } = execution(open);

  it("checks in this order: 404, 401, 415, 413, 400", async () => {
    let pass = false;
    const authHook: AuthHook = (_, next) => {
      if (!pass) throw new Error("the password is hunter2");
      return next();
    };
    const send = await start({ authHook, maxBodyBytes: 50 });
    const bad = post(`${"x".repeat(51)}`, { "content-type": "text/plain" });
    expect((await send("/tools/nothing/call", bad)).status).toBe(404);
    expect(await send(CALL, bad)).toMatchObject({ status: 401, body: { error: "Unauthorized" } });
    expect(faults.map(({ code }) => code)).toEqual(["unauthorized"]);
    pass = true;
    expect((await send(CALL, bad)).status).toBe(415);
    expect((await send(CALL, post("x".repeat(51)))).status).toBe(413);
    expect(await send(CALL, post("{"))).toMatchObject({
      status: 400,
      body: { error: expect.stringMatching(/^Invalid JSON: ./) },
    });
    expect((await send(CALL, post(""))).status).toBe(400);
    expect(handleCall).not.toHaveBeenCalled();
    expect((await send(CALL)).status).toBe(200);
  });

  it("returns the hook's response, and runs the tool once", async () => {
    const teapot = () => Response.json({ error: "teapot" }, { status: 418 });
    await start({ authHook: teapot });
    expect((await served().send(CALL, GOOD)).status).toBe(418);
    expect(handleCall).not.toHaveBeenCalled();

    const twice = await start({
      authHook: async (_, next) => {
        await next();
        await next();
      },
    } as UIConfig);
    expect((await twice(CALL)).body.content).toEqual([textContent("sunny")]);
    expect(handleCall).toHaveBeenCalledOnce();
  });

  it.each<[string, AuthHook]>([
    [
      "throws",
      () => {
        throw "no";
      },
    ],
    ["rejects", () => Promise.reject(new Error("no"))],
    ["does nothing", () => undefined],
    ["gives nonsense", () => ({ status: 200 }) as never],
    [
      "throws after next",
      async (_, next) => {
        await next();
        throw new Error("hide it");
      },
    ],
  ])("returns 401 if the hook %s", async (_, authHook) => {
    const send = await start({ authHook });
    expect(await send(CALL)).toMatchObject({ status: 401, body: { error: "Unauthorized" } });
    expect(faults.map(({ code }) => code)).toEqual(["unauthorized"]);
  });

  it("passes the request to the hook, and only for execution", async () => {
    const authHook = vi.fn<AuthHook>((request, next) => {
      if (request.headers["authorization"] !== "Bearer ok") throw new Error("no");
      return next();
    });
    const send = await start({ authHook });
    for (const path of ["/tools", "/tools/get_weather"]) {
      expect((await send(path, {})).status).toBe(200);
    }
    expect((await send("/tools/get_weather/validate")).status).toBe(200);
    expect(authHook).not.toHaveBeenCalled();
    expect((await send(CALL)).status).toBe(401);
    const init = post('{"city":"Oslo"}', { authorization: "Bearer ok" });
    expect((await send(CALL, init)).status).toBe(200);
  });
});

import { expect, it, vi } from "vitest";
import { describeOf } from "../../core/src/testing/sample.ts";
import type { AdmitCall, RefusedCall, RepairedCall, UIConfig } from "./index.ts";
import { DOORS, isFirst } from "./testing/doors.ts";
import { CALL, execution, GOOD, textContent } from "./testing/execution.ts";
import { post } from "./testing/fixtures.ts";

describeOf(DOORS, isFirst)("execution in $name", ({ open, server }) => {
  const { faults, handleCall, served, start } = execution(open);

  it("runs a tool and returns its result", async () => {
    const send = await start();
    expect(await send(CALL)).toMatchObject({
      status: 200,
      body: { content: [textContent("sunny")], isError: false },
    });
    expect(handleCall).toHaveBeenCalledOnce();
    const [name, args, request] = handleCall.mock.calls[0] ?? [];
    expect([name, args]).toEqual(["get_weather", { city: "Oslo" }]);
    expect(request?.method).toBe("POST");
    expect(request?.url).toContain(CALL);
    expect(request?.headers["content-type"]).toBe("application/json");
    expect(request?.signal.aborted).toBe(false);
    expect(request?.bodyText).toBe('{"city":"Oslo"}');
  });

  it("returns structured content and a trace id, from an object or a tuple", async () => {
    const send = await start();
    const structuredContent = { temperature: 7 };
    handleCall.mockReturnValueOnce({ content: [], structuredContent, traceId: "abc" });
    expect((await send(CALL)).body).toEqual({
      content: [],
      isError: false,
      structuredContent,
      _meta: { _trace_id: "abc" },
    });
    handleCall.mockResolvedValueOnce([[textContent("x")], false, "def"]);
    expect((await send(CALL)).body).toEqual({
      content: [textContent("x")],
      isError: false,
      _meta: { _trace_id: "def" },
    });
    for (const traceId of ["", null, undefined]) {
      handleCall.mockResolvedValueOnce([[], false, traceId]);
      expect((await send(CALL)).body).toEqual({ content: [], isError: false });
    }
  });

  it("is off unless the host turns it on", async () => {
    for (const allowExecute of [false, undefined]) {
      const send = await start({ allowExecute, authHook: () => undefined });
      for (const path of [CALL, "/tools/nothing/call"]) {
        const { status, body } = await send(path, post("no JSON"));
        expect([status, body]).toEqual([403, { error: "Tool execution is disabled." }]);
      }
    }
    expect(handleCall).not.toHaveBeenCalled();
  });

  it.each([
    ["text/plain", 415],
    ["application/x-www-form-urlencoded", 415],
    ["multipart/form-data; boundary=x", 415],
    ["application/json; charset=utf-16", 415],
    ["application/jsonx", 415],
    ["application/json, text/plain", 415],
    ["Application/JSON; charset=UTF-8", 200],
    ['application/json;charset="utf-8"', 200],
  ])("returns for a body of type %s the status %i", async (type, status) => {
    const send = await start();
    const init = post('{"city":"Oslo"}', { "content-type": type });
    expect((await send(CALL, init)).status).toBe(status);
    expect(handleCall).toHaveBeenCalledTimes(status === 200 ? 1 : 0);
  });

  it("returns 415 for a body without a type, or with a content encoding", async () => {
    const send = await start();
    const body = new TextEncoder().encode('{"city":"Oslo"}');
    expect((await send(CALL, { method: "POST", body })).status).toBe(415);
    const coded = post('{"city":"Oslo"}', { "content-encoding": "gzip" });
    expect((await send(CALL, coded)).status).toBe(415);
    expect(handleCall).not.toHaveBeenCalled();
  });

  it("does not run a tool on arguments that violate its schema", async () => {
    const send = await start();
    const { status, body } = await send(CALL, post('{"city":5}'));
    expect(status).toBe(200);
    expect(body.isError).toBe(true);
    expect(body.content[0].text).toMatch(/^The tool was not run\. .*"get_weather".*\n- .*\/city/);
    expect(body.structuredContent).toEqual({
      valid: false,
      errors: [{ path: "/city", message: "must be string", keyword: "type" }],
    });
    expect((await send("/tools/broken/call", post("{}"))).body.content[0].text).toContain(
      "fault of the server",
    );
    expect((await send("/tools/never/call", post("{}"))).body.isError).toBe(true);
    expect(handleCall).not.toHaveBeenCalled();
  });

  it("does not run a tool on arguments that could not be checked, and says so", async () => {
    const send = await start();
    const { status, body } = await send("/tools/endless/call", post("{}"));
    expect(status).toBe(200);
    expect(body.content[0].text).toMatch(
      /^The tool was not run\. .* could not be checked\.\n- Send a simpler value: /,
    );
    expect(body.structuredContent).toMatchObject({ valid: false, checked: false });
    expect(handleCall).not.toHaveBeenCalled();
  });

  it.each([
    ["branches", /could not be checked\.\n- The schema refers to itself for the same value/],
    ["loop", /The input schema of "loop" cannot be used/],
  ])("gives no advice about the value if the schema loops in place: %s", async (tool, text) => {
    const send = await start();
    const { body } = await send(`/tools/${tool}/call`, post("{}"));
    expect(body.content[0].text).toMatch(text);
    expect(body.content[0].text).toContain("fault of the server");
    expect(body.content[0].text).not.toMatch(/simpler|Correct the arguments/);
    expect(handleCall).not.toHaveBeenCalled();
  });

  it("runs tools only on objects, whatever their schemas accept", async () => {
    const send = await start();
    for (const given of ["null", "[]", '"x"', "1"]) {
      for (const tool of ["open", "array", "empty_schema"]) {
        const { status, body } = await send(`/tools/${tool}/call`, post(given));
        expect([status, body.isError]).toEqual([200, true]);
        expect(body.structuredContent.errors[0].keyword).toBe("type");
      }
    }
    expect(handleCall).not.toHaveBeenCalled();
  });

  it("tells the host about refused calls before the client", async () => {
    const refused: RefusedCall[] = [];
    let done = false;
    const send = await start({
      onRefused: async (call) => {
        await new Promise((resolve) => setImmediate(resolve));
        refused.push(call);
        done = true;
      },
    });
    expect((await send(CALL, post('{"city":5.0}'))).body.isError).toBe(true);
    expect(done).toBe(true);
    expect((await send("/tools/open/call", post("[]"))).body.isError).toBe(true);
    expect((await send(CALL)).status).toBe(200);
    expect(refused).toMatchObject([
      {
        tool: "get_weather",
        check: { outcome: "violation", errors: [{ path: "/city", rule: "type" }] },
        request: { method: "POST" },
      },
      { tool: "open", check: { outcome: "violation", errors: [{ path: "", rule: "type" }] } },
    ]);
    expect(Buffer.from(refused[0]?.body ?? []).toString()).toBe('{"city":5.0}');
  });

  it("repairs arguments if the host allows it, and reports that before the handler runs", async () => {
    const repaired: RepairedCall[] = [];
    const onRepaired = (call: RepairedCall): void => {
      expect(handleCall).not.toHaveBeenCalled();
      repaired.push(call);
    };
    const send = await start({ repair: "safe", onRepaired });
    const given = '{"city":"Oslo", "count":"9007199254740993"}';
    expect((await send(CALL, post(given))).body.isError).toBe(false);
    const [, args, request] = handleCall.mock.calls[0] ?? [];
    expect(args).toEqual({ city: "Oslo", count: 9007199254740992 });
    expect(request?.bodyText).toBe('{"city":"Oslo", "count":9007199254740993}');
    expect(request?.sentText).toBe(given);
    expect(repaired).toMatchObject([
      { tool: "get_weather", repairs: [{ kind: "coerce-scalars", path: "/count" }] },
    ]);
    expect(Buffer.from(repaired[0]?.repaired ?? []).toString()).toBe(request?.bodyText);
    const wrong = await send(CALL, post('{"city":{}}'));
    expect(wrong.body.isError).toBe(true);
    await send(CALL);
    expect(handleCall.mock.lastCall?.[2]).not.toHaveProperty("sentText");
    expect(repaired).toHaveLength(1);
  });

  it.each<[string, UIConfig["repair"], boolean]>([
    ["guesses nothing of a destructive tool", "all", false],
    ["guesses what the host says for the tool itself", () => ["all"], true],
    ["repairs nothing by default", undefined, false],
  ])("%s", async (_, repair, isRun) => {
    const given = { repair, onRepaired: () => {} };
    const send = await start(given);
    const { body } = await send("/tools/destroy/call", post('{"citty":"Oslo"}'));
    expect(body.isError).toBe(!isRun);
  });

  it.each<[string, UIConfig]>([
    ["the listener throws", { repair: "safe", onRepaired: () => Promise.reject(new Error("x")) }],
    ["the function names no repair", { repair: () => "none" as "safe" }],
  ])("runs nothing if %s", async (_, given) => {
    const send = await start(given);
    const { body } = await send(CALL, post('{"city":5}'));
    expect(body.isError ?? body.error).toBeTruthy();
    expect(faults).toMatchObject([{ code: "repair_failed", tool: "get_weather" }]);
    expect(handleCall).not.toHaveBeenCalled();
  });

  it("asks the host before it checks arguments, and returns the host's refusal", async () => {
    const admit = vi.fn<AdmitCall>(({ body }) =>
      body.length > 12 ? "Too many calls." : undefined,
    );
    const send = await start({ admit });
    const { status, body } = await send(CALL, post('{"city":"far away"}'));
    const content = [textContent("Too many calls.")];
    expect([status, body]).toEqual([403, { content, isError: true }]);
    expect(handleCall).not.toHaveBeenCalled();
    expect((await send(CALL, post('{"city":5}'))).text).toContain("/city");
    expect((await send(CALL, post("{"))).status).toBe(400);
    expect((await send("/tools/other/call", post("{}"))).status).toBe(404);
    expect(admit.mock.calls.map(([{ tool }]) => tool)).toEqual(["get_weather", "get_weather"]);
  });

  it.each<[string, unknown, readonly [status: number, retryAfter: string | null]]>([
    ["forbidden", { status: 403 }, [403, null]],
    ["over a limit", { status: 429, retryAfter: 2.1 }, [429, "3"]],
    ["over a limit, for a time that cannot be told", { status: 429, retryAfter: -1 }, [429, null]],
    ["with a status that is not one of a refusal", { status: 200 }, [403, null]],
    ["without a status", {}, [403, null]],
    ["without a text", { status: 429, text: 5 }, [429, null]],
  ])("refuses a call that the host does not admit: %s", async (_, given, expected) => {
    const rejection = { text: "No.", ...(given as object) };
    const send = await start({ admit: () => rejection });
    const { status, headers, body } = await send(CALL, post('{"city":"Oslo"}'));
    expect([status, headers.get("retry-after")]).toEqual(expected);
    const text = typeof rejection.text === "string" ? "No." : "This call is not allowed.";
    expect(body).toEqual({ content: [textContent(text)], isError: true });
    expect(handleCall).not.toHaveBeenCalled();
  });

  it.each<[string, object, readonly [status: number, retryAfter: string | null]]>([
    ["forbidden", { isError: true, refusal: { status: 403 } }, [403, null]],
    ["over a limit", { isError: true, refusal: { status: 429, retryAfter: 7 } }, [429, "7"]],
    ["no error", { isError: false, refusal: { status: 403 } }, [200, null]],
    ["another status", { isError: true, refusal: { status: 302 } }, [500, null]],
    ["no refusal", { isError: true, refusal: "no" }, [500, null]],
  ])("takes the status of a refusal from the handler: %s", async (_, outcome, expected) => {
    handleCall.mockResolvedValueOnce({ content: [textContent("No.")], ...outcome });
    const send = await start();
    const { status, headers, body } = await send(CALL, post('{"city":"Oslo"}'));
    expect([status, headers.get("retry-after")]).toEqual(expected);
    expect(body).not.toHaveProperty("refusal");
  });

  it.each([
    ["onRefused", "refusal_failed"],
    ["admit", "admit_failed"],
  ])("neither runs nor refuses a call if the host's hook fails: %s", async (name, code) => {
    const cause = new Error("the disk is full");
    const send = await start({
      [name]: () => {
        throw cause;
      },
    });
    const { status, body } = await send(CALL, post('{"city":5}'));
    expect([status, body]).toEqual([500, { error: "Internal error." }]);
    expect(faults).toMatchObject([{ code, tool: "get_weather", cause }]);
    expect(handleCall).not.toHaveBeenCalled();
  });

  it("passes hostile names and keys on unchanged", async () => {
    const send = await start();
    const given = '{"in_proto":1,"__proto__":{"polluted":true},"constructor":null}';
    expect((await send("/tools/__proto__/call", post(given))).status).toBe(200);
    const [name, args] = handleCall.mock.calls[0] ?? [];
    expect(name).toBe("__proto__");
    expect(Object.keys(args ?? {})).toEqual(["in_proto", "__proto__", "constructor"]);
    expect(args?.["polluted"]).toBeUndefined();
  });

  it("returns the configured status for a tool error or an exception", async () => {
    for (const [toolErrorStatus, status] of [
      [undefined, 500],
      [200, 200],
      [502, 502],
    ] as const) {
      const send = await start({ toolErrorStatus });
      handleCall.mockResolvedValueOnce({ content: [textContent("no such city")], isError: true });
      expect(await send(CALL)).toMatchObject({
        status,
        body: { content: [textContent("no such city")], isError: true },
      });
      handleCall.mockRejectedValueOnce(new Error("the city is closed"));
      expect(await send(CALL)).toMatchObject({
        status,
        body: { content: [textContent("the city is closed")], isError: true },
      });
    }
    expect(faults.map(({ code, tool }) => [code, tool])).toEqual(
      Array(3).fill(["handler_failed", "get_weather"]),
    );
  });

  it("aborts a handler that never ends, and tells the client and the host", async () => {
    const send = await start({ callTimeoutMs: 20 });
    const given: AbortSignal[] = [];
    handleCall.mockImplementationOnce((_name, _args, { signal }) => {
      given.push(signal);
      return new Promise(() => {});
    });
    const { status, body } = await send(CALL);
    expect([status, body.isError]).toEqual([500, true]);
    expect(body.content[0].text).toMatch(/^The tool did not end within 20 ms/);
    expect(given.map(({ aborted, reason }) => [aborted, reason.name])).toEqual([
      [true, "TimeoutError"],
    ]);
    expect(faults).toMatchObject([{ code: "handler_timeout", tool: "get_weather" }]);
  });

  it("ignores a handler after its abort", async () => {
    const send = await start({ callTimeoutMs: 20, toolErrorStatus: 504 });
    handleCall.mockImplementationOnce(
      (_name, _args, { signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener("abort", () => reject(signal.reason));
        }),
    );
    expect((await send(CALL)).status).toBe(504);
    expect(faults.map(({ code }) => code)).toEqual(["handler_timeout"]);
  });

  it("lets a handler end in time, or throw", async () => {
    const send = await start({ callTimeoutMs: 60_000 });
    expect(await send(CALL)).toMatchObject({ status: 200 });
    handleCall.mockImplementationOnce(() => {
      throw new Error("the city is closed");
    });
    expect((await send(CALL)).body.content).toEqual([textContent("the city is closed")]);
    expect(handleCall.mock.calls[0]?.[2].signal.aborted).toBe(false);
  });

  it("sends progress as events to a client that accepts them, then the result", async () => {
    await start();
    const progress = { progress: 1, total: 2, message: "half" };
    handleCall.mockImplementation(async (_name, _args, { reportProgress }) => {
      reportProgress?.(progress);
      // A report that comes before the first one was read would replace it, so this waits.
      await new Promise((resolve) => setImmediate(resolve));
      return { content: [textContent("sunny")], isError: true, texts: { content: "[\n]" } };
    });
    const eventsFor = async (accept: string) => {
      const headers = { ...GOOD.headers, accept };
      const response = await served().send(CALL, { ...GOOD, headers });
      return [response.status, response.headers.get("content-type"), await response.text()];
    };
    const body = '{"content":[\n],"isError":true}';
    const events = `event: progress\ndata: ${JSON.stringify(progress)}\n\nevent: result\ndata: {"content":[\ndata: ],"isError":true}\n\n`;
    expect(await eventsFor("application/json, Text/Event-Stream;q=0.5")).toEqual([
      200,
      "text/event-stream",
      events,
    ]);
    for (const accept of ["*/*", "application/json, text/event-stream;q=0", "text/*"]) {
      expect(await eventsFor(accept)).toEqual([500, "application/json", body]);
    }
    handleCall.mockResolvedValue({ content: [] });
    expect(await eventsFor("text/event-stream")).toEqual([
      200,
      "application/json",
      '{"content":[],"isError":false}',
    ]);
    expect((await eventsFor("text/event-stream"))[0]).toBe(200);
  });

  // Only for interfaces with a server, whose connections can be cut.
  if (server) {
    it("aborts a handler whose client has left, and does not wait for it", async () => {
      await start();
      const leaving = new AbortController();
      const aborted = new Promise<void>((resolve) => {
        handleCall.mockImplementationOnce((_name, _args, { signal }) => {
          signal.addEventListener("abort", () => resolve());
          leaving.abort();
          return new Promise(() => {});
        });
      });
      await expect(served().send(CALL, { ...GOOD, signal: leaving.signal })).rejects.toThrow();
      await aborted;
      expect((await served().send(CALL, GOOD)).status).toBe(200);
    });

    it("aborts a handler whose client leaves during progress", async () => {
      await start();
      const leaving = new AbortController();
      const aborted = new Promise<void>((resolve) => {
        handleCall.mockImplementationOnce((_name, _args, { signal, reportProgress }) => {
          signal.addEventListener("abort", () => resolve());
          reportProgress?.({ progress: 1 });
          return new Promise(() => {});
        });
      });
      const headers = { ...GOOD.headers, accept: "text/event-stream" };
      const init = { ...GOOD, headers, signal: leaving.signal };
      const reader = (await served().send(CALL, init)).body?.getReader();
      const { value } = (await reader?.read()) ?? {};
      expect(new TextDecoder().decode(value)).toBe('event: progress\ndata: {"progress":1}\n\n');
      leaving.abort();
      await aborted;
    });
  }
});

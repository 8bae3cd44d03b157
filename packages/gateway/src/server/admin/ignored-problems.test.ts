import type { Problem, ProblemPage } from "@touchstone/records/schemas";
import { afterEach, expect, it } from "vitest";
import { FAULTY_SERVER } from "../../testing/fixtures.ts";
import { initialize, post, request } from "../../testing/http.ts";
import { type AdminGateway, startAdminGateway } from "./testing/admin-gateway.ts";

let touchstone: AdminGateway | undefined;
afterEach(async () => {
  await touchstone?.close();
  touchstone = undefined;
});

/** Starts a gateway, sends an invalid call, and returns a function that sends requests to it. */
async function started(settings: object = {}) {
  const server = { command: process.execPath, args: [FAULTY_SERVER] };
  const gateway = await startAdminGateway(
    JSON.stringify({ mcpServers: { faulty: server }, ...settings }),
  );
  touchstone = gateway;
  const url = gateway.url("faulty");
  const session = await initialize(url);
  await post(url, request(1, "tools/list", {}), session);
  await post(
    url,
    request(2, "tools/call", { name: "get_weather", arguments: { city: 5 } }),
    session,
  );
  const ask = async <T>(
    path: string,
    method = "GET",
    body?: object,
  ): Promise<readonly [number, T]> => {
    const response = await fetch(new URL(path, url), {
      method,
      headers: {
        authorization: `Bearer ${gateway.token}`,
        ...(body && { "content-type": "application/json" }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    return [response.status, (await response.json()) as T];
  };
  // The result is invalid, too.
  const problems = async (): Promise<readonly Problem[]> =>
    (await ask<ProblemPage>("/api/v1/problems"))[1].problems.filter(
      ({ direction }) => direction === "input",
    );
  return { gateway, ask, problems };
}

it("lists what was wrong with calls, ignores a problem, and records who decided", async () => {
  const { gateway, ask, problems } = await started();
  const [problem] = await problems();
  expect(problem).toMatchObject({
    ...{ server: "faulty", tool: "get_weather", direction: "input", place: "/city" },
    ...{ rule: "type", received: "integer", calls: 1, state: "open" },
    allow: {
      faulty: {
        touchstone: {
          tools: { get_weather: { input_validation: { rules: { "/city": "warning" } } } },
        },
      },
    },
  });
  const until = new Date(Date.now() + 3_600_000).toISOString();
  const path = `/api/v1/problems/${problem?.id}/ignore`;
  const [status, ignored] = await ask<Problem>(path, "POST", {
    until,
    reason: "the client is fixed soon",
  });
  expect([status, ignored]).toMatchObject([
    200,
    { state: "ignored", ignored: { until, reason: "the client is fixed soon" } },
  ]);
  expect(await problems()).toMatchObject([{ state: "ignored" }]);
  const [, others] = await ask<ProblemPage>("/api/v1/problems?state=open");
  expect(others.problems.map(({ id }) => id)).not.toContain(problem?.id);
  expect(others.states).toMatchObject({ ignored: 1 });
  expect(await ask(path, "DELETE")).toMatchObject([200, { state: "open", ignored: null }]);
  // The problem is no longer ignored, so the request changes nothing.
  expect((await ask(path, "DELETE"))[0]).toBe(200);
  const changes = await gateway.records({ type: "config_change" });
  expect(changes.map(({ reason, given_reason, actor }) => [reason, given_reason, actor])).toEqual([
    [
      `problem ${problem?.id} (type at /city of faulty/get_weather) is ignored until ${until}`,
      "the client is fixed soon",
      "operator token",
    ],
    [
      `problem ${problem?.id} (type at /city of faulty/get_weather) is no longer ignored`,
      undefined,
      "operator token",
    ],
  ]);
});

it.each([
  ["no time", "soon"],
  ["a length", "7d"],
  ["the past", "2020-01-01T00:00:00Z"],
  ["too long a time", "2100-01-01T00:00:00Z"],
  ["a day that does not exist", "2026-13-01T00:00:00Z"],
])("refuses to ignore a problem until %s", async (_what, until) => {
  const { gateway, ask, problems } = await started();
  const [problem] = await problems();
  expect(await ask(`/api/v1/problems/${problem?.id}/ignore`, "POST", { until })).toMatchObject([
    400,
    { code: "BAD_REQUEST", error: expect.stringContaining("at most 366 days from now") },
  ]);
  expect(await gateway.records({ type: "config_change" })).toEqual([]);
});

it("shows a problem as allowed by the current settings, from the moment that they change", async () => {
  const { ask, problems } = await started();
  const [problem] = await problems();
  const action = { kind: "rules", mcpServers: problem?.allow };
  const [, { hash }] = await ask<{ hash: string }>("/api/v1/config/proposals", "POST", { action });
  const [status, edit] = await ask<{ id: string }>("/api/v1/config/edits", "POST", {
    action,
    hash,
  });
  expect(status).toBe(200);
  expect(await problems()).toMatchObject([{ id: problem?.id, state: "allowed" }]);
  expect((await ask(`/api/v1/config/edits/${edit.id}/undo`, "POST"))[0]).toBe(200);
  expect(await problems()).toMatchObject([{ id: problem?.id, state: "open" }]);
});

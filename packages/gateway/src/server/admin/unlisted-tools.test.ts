import { afterEach, expect, it } from "vitest";
import { FAULTY_SERVER } from "../../testing/fixtures.ts";
import { initialize, post, request } from "../../testing/http.ts";
import { type AdminGateway, startAdminGateway } from "./testing/admin-gateway.ts";

const TEXT = JSON.stringify({
  mcpServers: { faulty: { command: process.execPath, args: [FAULTY_SERVER] } },
});
const MISTYPED = "servers/faulty/tools/get_wether/modes";
const NOTE =
  '"faulty" has not listed a tool named "get_wether" — did you mean "get_weather"? The settings take effect once it lists one.';

let touchstone: AdminGateway;
afterEach(() => touchstone.close());

async function start(): Promise<void> {
  touchstone = await startAdminGateway(TEXT);
}

async function listTools(): Promise<void> {
  const url = touchstone.url("faulty");
  const session = await initialize(url);
  await post(url, request(1, "tools/list", {}), session);
}

const warningOf = async (path: string, body: object): Promise<unknown> => {
  const answer = await touchstone.patch(path, body);
  expect(answer.status).toBe(200);
  return (answer.body as { warning?: string }).warning;
};
const unlisted = async (): Promise<unknown> =>
  ((await touchstone.get("servers/faulty")).body as { unlisted: unknown }).unlisted;

it("warns about settings for an unlisted tool, and accepts them", async () => {
  await start();
  await listTools();
  expect(await warningOf(MISTYPED, { input: "strict" })).toBe(NOTE);
  expect(await warningOf("servers/faulty/tools/get_weather/modes", { input: "off" })).toBe(
    undefined,
  );
  expect(await warningOf("servers/faulty/tools/%E2%80%AE/modes", { input: "off" })).toBe(
    '"faulty" has not listed a tool named "\\u202e". The settings take effect once it lists one.',
  );
  const modes = { output: "warn", protocol: "warn" };
  expect(await unlisted()).toEqual([
    {
      tool: "get_wether",
      closest: "get_weather",
      modes: { input: "strict", ...modes },
      own: { input: "strict" },
    },
    { tool: "\u202e", modes: { input: "off", ...modes }, own: { input: "off" } },
  ]);
});

it("does not warn about settings that are removed", async () => {
  await start();
  await listTools();
  await touchstone.patch(MISTYPED, { input: "strict" });
  expect(await warningOf(MISTYPED, { input: null })).toBe(undefined);
  expect(await unlisted()).toEqual([]);
});

it("does not warn before the server has listed its tools", async () => {
  await start();
  expect(await warningOf(MISTYPED, { input: "strict" })).toBe(undefined);
  expect(await unlisted()).toEqual([]);
  await listTools();
  expect(await unlisted()).toMatchObject([{ tool: "get_wether", closest: "get_weather" }]);
});

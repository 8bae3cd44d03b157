import { afterEach, expect, it } from "vitest";
import { long } from "../../../../core/src/testing/sample.ts";
import { SCRIPTED_SERVER } from "../../testing/fixtures.ts";
import { startTestGateway, type TestGateway } from "../../testing/gateway.ts";
import { type HttpAnswer, initialize, modern, post, request } from "../../testing/http.ts";

const LARGE = { name: "work", arguments: { n: 1, filler: "x".repeat(12 * 1024 * 1024) } };
/** That many of them are more than may wait. */
const COUNT = 8;

let touchstone: TestGateway;
afterEach(() => touchstone.close());

async function start(): Promise<string> {
  const args = [SCRIPTED_SERVER, "--on", "tools/list=deaf"];
  touchstone = await startTestGateway({
    mcpServers: { it: { command: process.execPath, args } },
    // All of the large bodies come at once, from one address.
    limits: { unfinished_bytes: 1_000_000_000 },
  });
  return touchstone.url("it");
}

/** The first of several requests that is answered: the others wait for a server that reads nothing. */
async function firstAnswer(send: (id: number) => Promise<HttpAnswer>): Promise<HttpAnswer> {
  const answers = Array.from({ length: COUNT }, (_, id) => send(id));
  for (const answer of answers) answer.catch(() => {});
  return Promise.any(answers);
}

function expectRefused({ messages }: HttpAnswer): void {
  expect(JSON.parse(messages.at(-1) ?? "")).toMatchObject({
    error: { code: -32603, message: expect.stringMatching(/does not read .* MiB wait for it/) },
  });
}

it("limits what it stores for a session's server that reads nothing", long, async () => {
  const url = await start();
  const headers = await initialize(url);
  await post(url, request("list", "tools/list"), headers);
  expectRefused(await firstAnswer((id) => post(url, request(id, "tools/call", LARGE), headers)));
  const records = await touchstone.records({ type: "tool_call" });
  expect(records[0]).toMatchObject({ reason: expect.stringMatching(/does not read/) });
});

it("limits what it stores for a shared server that reads nothing", long, async () => {
  const url = await start();
  const list = modern("tools/list");
  await post(url, list.body, list.headers);
  expectRefused(
    await firstAnswer((id) => {
      // A call would wait for the tool list, which is never fresh here.
      const { body, headers } = modern("resources/list", LARGE.arguments, { id });
      return post(url, body, headers);
    }),
  );
});

import { beforeAll, expect, it } from "vitest";
import { eachOf, long } from "../../../core/src/testing/sample.ts";
import { TOOLS_SERVER } from "../../../gateway/src/testing/fixtures.ts";
import { callTools, describeGatewayPages, type ServedGateway } from "../testing/gateway.ts";

const inputSchema = { type: "object", properties: { n: { type: "integer" } }, required: ["n"] };
const failed = { isError: true, content: [{ type: "text", text: "it failed" }] };

describeGatewayPages("refused calls", (console) => {
  let gateway: ServedGateway;
  beforeAll(async () => {
    const names = ["fine", "failing", "denied", "narrowed", "limited"];
    const plan = {
      tools: names.map((name) => ({ name, inputSchema })),
      results: { failing: failed },
    };
    const mode = { mode: "strict" };
    const touchstone = {
      ...{ input_validation: mode, output_validation: mode, protocol_validation: mode },
      policy: { deny_tools: ["denied"] },
      tools: {
        narrowed: { narrow: { properties: { n: { maximum: 3 } } } },
        limited: { limits: { calls_per_minute: 1 } },
      },
    };
    const entry = { command: process.execPath, args: [TOOLS_SERVER, JSON.stringify(plan)] };
    gateway = await console.start(JSON.stringify({ mcpServers: { s: { ...entry, touchstone } } }));
    const calls = [...names, "limited"].map((name) => [name, { n: 9 }] as const);
    await callTools(gateway, "s", calls);
  }, 60_000);

  it("are figures of their own, and an error is a server that failed", long, async () => {
    const { page, found } = await console.open(gateway.page);
    for (const name of [
      /^Denied ?1 ?by policy$/,
      /^Out of bounds ?1/,
      /^Limited ?1/,
      /^Calls ?6$/,
    ]) {
      await page.getByRole("link", { name }).waitFor();
    }
    await page.getByRole("link", { name: /^Error rate ?17% ?1 error$/ }).waitFor();
    await page.getByRole("link", { name: /^Blocked ?0/ }).waitFor();
    await page.getByRole("link", { name: /^Limited ?1/ }).click();
    await page.getByText("1 call", { exact: true }).waitFor();
    await page.locator('.rows [role="row"]', { hasText: "limited" }).first().waitFor();
    expect(found).toEqual([]);
  });

  eachOf(["denied", "narrowed", "limited"], 1)(
    "offer nothing on their page that changes nothing: %s",
    async (tool) => {
      const { page, found } = await console.open(`${gateway.page}#/activity?tool=${tool}`);
      const rows = page.locator('.rows [role="row"]');
      await rows.first().getByRole("link").click();
      const sheet = page.getByRole("dialog");
      await sheet.getByRole("heading", { name: "The agent sent" }).waitFor();
      expect(await sheet.getByRole("button", { name: "Make this tool strict" }).count()).toBe(0);
      expect(await sheet.getByText("Missing from the marked value").count()).toBe(0);
      expect(found).toEqual([]);
    },
  );
});

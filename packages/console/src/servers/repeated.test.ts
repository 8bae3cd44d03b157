import { expect, it } from "vitest";
import { TWICE_SERVER } from "../../../gateway/src/testing/twice-server.ts";
import { describeGatewayPages } from "../testing/gateway.ts";

const CONFIG = JSON.stringify({ mcpServers: { twice: TWICE_SERVER } });

describeGatewayPages("a tool that its server lists more than once", (console) => {
  it("is shown at its definition", async () => {
    const gateway = await console.start(CONFIG);
    const { page, found } = await console.open(`${gateway.page}#/servers/twice`);
    await page.getByRole("button", { name: "Load tools" }).click();
    const contracts = page.getByRole("table", { name: "Tool definitions" });
    await contracts
      .getByText(/lists this tool more than once; the last declaration counts/)
      .waitFor();
    await expect.poll(() => contracts.locator(".notice").count()).toBe(1);
    expect(found).toEqual([]);
  });
});

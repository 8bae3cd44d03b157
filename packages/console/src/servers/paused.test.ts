import { expect, it } from "vitest";
import { writePauses } from "../../../gateway/src/relay/pause.ts";
import { describeGatewayPages, FAULTY } from "../testing/gateway.ts";

describeGatewayPages("a pause", (console) => {
  it("is shown with the tools, in the server list and at the server", async () => {
    const gateway = await console.start(JSON.stringify({ mcpServers: { faulty: FAULTY } }));
    const since = new Date();
    const pause = { since, until: new Date(since.getTime() + 3_600_000) };
    writePauses(gateway.dataDir, { all: undefined, servers: new Map([["faulty", pause]]) });
    await gateway.line(/the checks of faulty are paused until/);
    const { page, found } = await console.open(`${gateway.page}#/tools`);
    const told = page.getByText(
      /Checks are paused until .*: strict checks only warn\. No policy, narrow, pin, limit of calls/,
    );
    await told.waitFor();
    await page.getByRole("navigation", { name: "Pages" }).getByText("Servers").click();
    await page.locator("tbody tr").getByText("paused", { exact: true }).waitFor();
    await told.waitFor();
    await page.getByRole("link", { name: "faulty" }).click();
    await page.getByRole("heading", { name: "faulty" }).waitFor();
    await told.waitFor();
    expect(found).toEqual([]);
  });
});

import { beforeAll, expect, it } from "vitest";
import { long } from "../../../core/src/testing/sample.ts";
import { callTools, describeGatewayPages, FAULTY, type ServedGateway } from "../testing/gateway.ts";

// The name of a server may contain a colon.
const SERVER = "a:b";

describeGatewayPages("links between the pages", (console) => {
  let gateway: ServedGateway;
  beforeAll(async () => {
    gateway = await console.start(JSON.stringify({ mcpServers: { a: FAULTY, [SERVER]: FAULTY } }));
    await callTools(gateway, SERVER, [["get_weather", { city: 1 }]]);
  }, 60_000);

  it("lead from a record to its tool and definition, and back to its records", long, async () => {
    const { page, found } = await console.open(`${gateway.page}#/activity?type=tool_call`);
    await page.locator(".rows a").first().click();
    const record = page.getByRole("dialog");
    await record.getByRole("link", { name: "get_weather", exact: true }).click();
    const tool = page.getByRole("heading", { name: `${SERVER}:get_weather` });
    await tool.waitFor();
    await page.getByRole("link", { name: `Server ${SERVER}` }).click();
    await page.getByRole("heading", { name: SERVER, exact: true }).waitFor();
    await page
      .getByRole("rowheader")
      .getByRole("link", { name: "get_weather", exact: true })
      .click();
    await tool.waitFor();
    // Both link to what clients see.
    await page.getByRole("link", { name: "As a client sees it" }).click();
    await page.waitForURL(/#\/servers\/a%3Ab\?view=client&tool=get_weather$/);
    await page.getByText("From what the server declares to what the client sees").waitFor();
    await page.goBack();
    await tool.waitFor();
    await page.goBack();
    const seen = page.getByRole("link", { name: "As a client sees it: get_weather" });
    await expect
      .poll(() => seen.getAttribute("href"))
      .toBe("#/servers/a%3Ab?view=client&tool=get_weather");
    await page.goForward();
    await page.getByRole("link", { name: "Activity of this tool" }).click();
    await page.waitForURL(/#\/activity\?server=a%3Ab&tool=get_weather$/);
    await page.locator(".rows a").first().click();
    await record.getByRole("link", { name: SERVER, exact: true }).click();
    await page.getByRole("heading", { name: SERVER, exact: true }).waitFor();
    expect(found).toEqual([]);
  });

  it("lead from a server's page to the page of all servers", long, async () => {
    const { page } = await console.open(`${gateway.page}servers/a/#/servers/a`);
    await page.getByRole("button", { name: "Load tools" }).click();
    await page
      .getByRole("rowheader")
      .getByRole("link", { name: "get_weather", exact: true })
      .click();
    await page.getByRole("heading", { name: "a:get_weather" }).waitFor();
    expect(page.url()).toBe(`${gateway.page}#/tools/a%3Aget_weather`);
  });

  it("can be copied as the URL of a server's endpoint", async () => {
    const context = { permissions: ["clipboard-read", "clipboard-write"] };
    const { page } = await console.open(`${gateway.page}#/servers/${SERVER}`, context);
    await page.getByRole("button", { name: "Copy URL" }).click();
    await page.getByText("Copied URL").waitFor();
    const url = await page.evaluate(() => navigator.clipboard.readText());
    expect(url).toBe(`${gateway.page}mcp/a%3Ab`);
    await expect.poll(() => page.locator(".endpoint").textContent()).toContain(url);
  });
});

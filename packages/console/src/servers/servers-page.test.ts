import { beforeAll, expect, it } from "vitest";
import { enterToken, screenshot } from "../testing/console.ts";
import { callTools, describeGatewayPages, FAULTY, type ServedGateway } from "../testing/gateway.ts";

const CONFIG = `{
  // What stands here is written by people.
  "mcpServers": {
    "faulty": ${JSON.stringify(FAULTY)}, // breaks what it declares
    "gone": { "command": "no-such-command-anywhere" }
  }
}
`;

describeGatewayPages("servers and settings", (console) => {
  let gateway: ServedGateway;
  beforeAll(async () => {
    gateway = await console.start(CONFIG);
  }, 60_000);

  it("shows each server, its contracts and what is wrong with its schemas", async () => {
    const { page, found } = await console.open(gateway.page);
    await page.getByRole("navigation", { name: "Pages" }).getByText("Servers").click();
    await page.getByText("2 servers").waitFor();
    await page.getByRole("link", { name: "faulty" }).click();
    await page.getByRole("heading", { name: "faulty" }).waitFor();
    await page.getByRole("button", { name: "Load tools" }).click();
    const contracts = page.getByRole("table", { name: "Tool definitions" });
    await contracts.getByText("get_weather").first().waitFor();
    await contracts
      .getByText(/^\W*The output schema cannot be used: not valid .*\)\. Correct the keyword/)
      .waitFor();
    await page.getByText(/^running\s+since \d{4}-/).waitFor();
    await screenshot(page, "server");
    await page.getByRole("link", { name: "All servers" }).click();
    const card = page.locator(".card").first();
    await card.getByText("running").waitFor();
    await screenshot(page, "servers");
    expect(found).toEqual([]);
  });

  it("says that there is no server, and how to add one, where the servers and the tools would be", async () => {
    const empty = await console.start('{ "mcpServers": {} }');
    const { page, found } = await console.open(`${empty.page}#/tools`);
    await page.getByText("No server is served here").waitFor();
    await page.getByText("touchstone install --client cursor").waitFor();
    await page.getByRole("navigation", { name: "Pages" }).getByText("Servers").click();
    await page.getByText("0 servers").waitFor();
    await page.getByText(/"mcpServers": \{/).waitFor();
    expect(found).toEqual([]);
  });

  it("names the servers of a client's file that are not served, and why", async () => {
    const mcpServers = {
      faulty: FAULTY,
      "old\u202e": { type: "sse", url: "https://example.com/sse" },
      off: { command: 1, disabled: true },
    };
    const partial = await console.start("{}", {
      editable: false,
      servers: JSON.stringify({ mcpServers }),
    });
    const { page, found } = await console.open(`${partial.page}#/servers`);
    await page.getByText("2 servers, 1 left out").waitFor();
    const out = page.getByRole("region", { name: "Left out" });
    await out.getByText("old[U+202E]").first().waitFor();
    await out.getByText(/the old HTTP\+SSE transport is not supported/).waitFor();
    const off = page.locator(".card", { hasText: "off" });
    await off.getByText("The configuration says that it is disabled").waitFor();
    await off.getByText(/Nor could it be: mcp\.json:1:\d+: .*must be/).waitFor();
    await screenshot(page, "servers-left-out");
    expect(found).toEqual([]);
  });

  it("says what is wrong with a server that cannot be started", async () => {
    const { page } = await console.open(`${gateway.page}#/servers/gone`);
    await page.getByRole("button", { name: "Load tools" }).click();
    await page
      .getByText(/no-such-command-anywhere/)
      .nth(1)
      .waitFor();
    await page.goto(`${gateway.page}#/servers/nobody`);
    await page
      .getByRole("alert")
      .getByText(/nobody/)
      .waitFor();
  });

  it("switches the modes of a server as an edit of the configuration, with the token", async () => {
    const { page, found } = await console.open(`${gateway.page}#/servers/faulty`);
    const form = page.getByRole("form", { name: "Modes of server faulty" });
    const save = form.getByRole("button", { name: "Save" });
    await save.waitFor();
    expect(await save.isDisabled()).toBe(true);
    await form.getByLabel("input").selectOption("strict");
    await save.click();
    await form.getByText(/touchstone serve printed/).waitFor();
    expect(gateway.text()).toBe(CONFIG);
    await enterToken(page, gateway.token);
    await save.click();
    await form.getByText("Saved to the configuration. Now: input strict").waitFor();
    expect(await form.getByLabel("input").inputValue()).toBe("strict");
    await screenshot(page, "server-modes");
    expect(gateway.text()).toContain("// breaks what it declares");
    expect(gateway.text()).toMatch(/"input_validation":\s*\{\s*"mode":\s*"strict"\s*\}/);
    await callTools(gateway, "faulty", [["get_weather", { city: 1 }]]);
    const [blocked] = await gateway.records({ type: "tool_call", status: "blocked,rejected" });
    expect(blocked).toMatchObject({ server: "faulty", tool: "get_weather" });
    const kept = await page.evaluate(() =>
      JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, location.href]),
    );
    expect(kept).not.toContain(gateway.token);
    // The browser reports the refusal that was asked for.
    expect(found.filter((line) => !line.includes("401"))).toEqual([]);
  });

  it("switches the modes of one tool, and takes the switch back", async () => {
    const { page } = await console.open(`${gateway.page}#/servers/faulty`);
    await enterToken(page, gateway.token);
    await page.getByRole("button", { name: "Load tools" }).click();
    await page.getByRole("button", { name: "Switch modes of fail" }).first().click();
    const form = page.getByRole("form", { name: "Modes of tool fail" });
    await form.getByLabel("output").selectOption("off");
    await form.getByRole("button", { name: "Save" }).click();
    await form.getByText("Saved to the configuration. Now:").waitFor();
    expect(JSON.stringify(gateway.text())).toContain("fail");
    await page.getByText("output off*").first().waitFor();
    await form.getByLabel("output").selectOption("");
    await form.getByRole("button", { name: "Save" }).click();
    await page.getByText("output off*").first().waitFor({ state: "detached" });
  });

  it("shows the settings, and switches the modes of all", async () => {
    const { page, found } = await console.open(`${gateway.page}#/settings`);
    await page.getByRole("heading", { name: "Limits" }).waitFor();
    await page.getByText("touchstone.json").first().waitFor();
    expect(await page.locator("body").innerText()).not.toContain(gateway.token);
    await enterToken(page, gateway.token);
    const form = page.getByRole("form", { name: "Modes of the gateway" });
    await form.getByLabel("protocol").selectOption("off");
    await screenshot(page, "settings");
    await form.getByRole("button", { name: "Save" }).focus();
    await page.keyboard.press("Enter");
    await form.getByText("protocol off").waitFor();
    const changes = await gateway.records({ type: "config_change" });
    expect(changes.at(-1)).toMatchObject({ source: "http" });
    expect(found).toEqual([]);
  });

  it("asks for the key where one is needed", async () => {
    const config = { mcpServers: { faulty: FAULTY }, auth: { api_key: "the-key-of-this-test" } };
    const guarded = await console.start(JSON.stringify(config));
    const live = await console.open(`${guarded.page}#/activity?live=true`);
    await live.page
      .getByText(/Enter a token that/)
      .first()
      .waitFor();
    // The list and its feed are refused alike, which is reported once.
    await expect.poll(() => live.page.locator(".notice").count()).toBe(1);
    const { page } = await console.open(`${guarded.page}#/servers`);
    await page
      .getByRole("alert")
      .getByText(/Enter a token that the server accepts at the top/)
      .waitFor();
    await enterToken(page, "the-key-of-this-test");
    await page.getByLabel("Token").press("Enter");
    await page.getByText("1 server", { exact: true }).waitFor();
    for (const [hash, shown] of [
      ["activity?view=records", "1 record"],
      ["tools/get_weather", "Arguments"],
    ] as const) {
      await page.goto(`${guarded.page}?${hash}#/${hash}`);
      await page.getByText("Enter a token that").first().waitFor();
      await enterToken(page, "the-key-of-this-test");
      await page.getByLabel("Token").press("Enter");
      await page.getByText(shown).first().waitFor();
      await page.getByText("Enter a token that").first().waitFor({ state: "detached" });
    }
  });
});

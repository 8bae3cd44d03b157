import { expect, it, vi } from "vitest";
import { screenshot, signIn } from "../testing/console.ts";
import { describeGatewayPages, FAULTY } from "../testing/gateway.ts";

const CONFIG = JSON.stringify({
  mcpServers: {
    faulty: {
      ...FAULTY,
      touchstone: { tools: { get_wether: { input_validation: { mode: "strict" } } } },
    },
  },
});

describeGatewayPages("settings for a tool that its server does not list", (console) => {
  it("are listed with the likely tool, and can be removed", async () => {
    const gateway = await console.start(CONFIG);
    const { page, found } = await console.open(`${gateway.page}#/servers/faulty`);
    await signIn(page, gateway.token);
    await page.getByRole("button", { name: "Load tools" }).click();
    const unlisted = page.getByRole("region", { name: "Settings for tools that are not listed" });
    await unlisted
      .getByText(/has settings for get_wether, which.*Did you mean get_weather\?/)
      .waitFor();
    await screenshot(page, "unlisted-tools");
    const form = unlisted.getByRole("form", { name: "Modes of tool get_wether" });
    await form.getByLabel("output").selectOption("off");
    await form.getByRole("button", { name: "Save" }).click();
    await form.getByText(/Saved.*has not listed a tool named "get_wether"/).waitFor();
    // The level above is shown with its mode until the page knows what was saved.
    const above = form.getByLabel("output").locator("option").first();
    await vi.waitUntil(async () => !(await above.innerText()).includes("("), { timeout: 20_000 });
    for (const direction of ["input", "output"]) {
      await form.getByLabel(direction).selectOption("");
    }
    await form.getByRole("button", { name: "Save" }).click();
    await unlisted.waitFor({ state: "detached" });
    expect(gateway.text()).not.toContain("get_wether");
    expect(found).toEqual([]);
  });
});

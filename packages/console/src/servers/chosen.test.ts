import { beforeAll, expect, it } from "vitest";
import { eachOf, long } from "../../../core/src/testing/sample.ts";
import { signIn } from "../testing/console.ts";
import { describeGatewayPages, FAULTY, type ServedGateway } from "../testing/gateway.ts";

describeGatewayPages("a mode that was chosen and is not saved", (console) => {
  let gateway: ServedGateway;
  beforeAll(async () => {
    gateway = await console.start(JSON.stringify({ mcpServers: { faulty: FAULTY } }));
  });

  eachOf(
    [
      ["servers/faulty", "server faulty", "**/api/v1/servers/faulty"],
      ["settings", "the gateway", "**/api/v1/settings"],
    ],
    1,
  )("is kept in %s while the gateway is unreachable", async (hash, what, asked) => {
    const { page } = await console.open(`${gateway.page}#/${hash}`);
    const input = page.getByRole("form", { name: `Modes of ${what}` }).getByLabel("input");
    await input.selectOption("strict");
    await page.route(asked, (route) => route.abort());
    await page.getByRole("button", { name: "Reload" }).click();
    const alert = page.getByRole("alert");
    await alert.getByText("The gateway cannot be reached.").waitFor();
    await expect.poll(() => input.inputValue()).toBe("strict");
    await page.unroute(asked);
    await alert.getByRole("button", { name: "Try again" }).click();
    await alert.waitFor({ state: "detached" });
    await expect.poll(() => input.inputValue()).toBe("strict");
  });

  it("is shown only at the definition where it was made", async () => {
    const { page } = await console.open(gateway.page);
    await page.route("**/api/v1/servers/faulty", async (route) => {
      const response = await route.fetch();
      const server = (await response.json()) as object;
      const contract = {
        ...{ tool: "one", revision: "2025-11-25", faults: [], own: {}, outputHash: null },
        modes: { input: "warn", output: "warn", protocol: "warn" },
        ...{ refusedBy: null, repeated: false, learnedAt: new Date().toISOString() },
      };
      const contracts = ["a", "b"].map((inputHash) => ({ ...contract, inputHash }));
      await route.fulfill({ response, json: { ...server, contracts } });
    });
    await page.goto(`${gateway.page}#/servers/faulty`);
    await page.getByRole("button", { name: "Switch modes of one" }).nth(1).click();
    const forms = page.getByRole("form", { name: "Modes of tool one" });
    await forms.first().waitFor();
    await expect.poll(() => forms.count()).toBe(1);
    await expect.poll(() => page.locator("tbody tr").last().locator("form").count()).toBe(1);
  });

  it("is kept when an earlier saved one takes effect", long, async () => {
    const { page } = await console.open(`${gateway.page}#/servers/faulty`);
    await signIn(page, gateway.token);
    const form = page.getByRole("form", { name: "Modes of server faulty" });
    let letGo: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    await page.route("**/modes", async (route) => {
      await held;
      await route.continue();
    });
    await form.getByLabel("input").selectOption("strict");
    await form.getByRole("button", { name: "Save" }).click();
    await form.getByText("Saving …").waitFor();
    await form.getByLabel("output").selectOption("off");
    letGo();
    await form.getByText("Saved to the configuration. Now: input strict, output warn").waitFor();
    await page.unroute("**/modes");
    await form.getByText("inherit (warn)").nth(1).waitFor({ state: "attached" });
    await expect
      .poll(() => form.getByLabel("input").locator("option").first().textContent())
      .toBe("inherit");
    await expect.poll(() => form.getByLabel("output").inputValue()).toBe("off");
    await form.getByRole("button", { name: "Save" }).click();
    await form.getByText("Now: input strict, output off").waitFor();
  });
});

import type { Route } from "playwright-core";
import { beforeAll, expect, it } from "vitest";
import { describePages } from "../testing/console.ts";
import { runTool } from "../testing/tools.ts";

const listOf = (name: string) => ({
  contentType: "application/json",
  body: JSON.stringify([{ name, description: "", inputSchema: { type: "object" } }]),
});

describePages("the list of tools that is loaded again", (console) => {
  let url = "";
  beforeAll(async () => {
    const tools = [{ name: "first", description: "", inputSchema: { type: "object" } }];
    ({ url } = await console.serve(tools, runTool));
  }, 60_000);

  it("keeps the search while loading fails, until it succeeds", async () => {
    const { page } = await console.open(url);
    const search = page.getByRole("searchbox", { name: "Search tools" });
    await search.fill("fir");
    await page.route(/\/tools$/, (route) => route.abort());
    await page.getByRole("button", { name: "Reload" }).click();
    const again = page.getByRole("button", { name: "Try again" });
    await again.waitFor();
    await expect.poll(() => search.inputValue()).toBe("fir");
    await expect
      .poll(() => page.locator(".tool-list li code").allTextContents())
      .toEqual(["first"]);
    await page.unroute(/\/tools$/);
    await again.click();
    await again.waitFor({ state: "detached" });
    await expect.poll(() => search.inputValue()).toBe("fir");
  });

  it("shows the response to the latest request", async () => {
    const { page } = await console.open(url);
    const reload = page.getByRole("button", { name: "Reload" });
    await reload.waitFor();
    const asked: Route[] = [];
    let hold = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      hold = resolve;
    });
    await page.route(/\/tools$/, async (route) => {
      asked.push(route);
      if (asked.length === 1) hold();
      else await route.fulfill(listOf("second"));
    });
    await reload.click();
    await held;
    await reload.click();
    const names = page.locator(".tool-list li code");
    await names.getByText("second").waitFor();
    // A request that the page no longer waits for cannot be fulfilled.
    await asked[0]?.fulfill(listOf("late")).catch(() => undefined);
    await page.evaluate(() => fetch("."));
    await expect.poll(() => names.allTextContents()).toEqual(["second"]);
  });
});

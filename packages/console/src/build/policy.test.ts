import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { chromiumPath } from "../testing/browser.ts";
import { openApart, sharedBrowser } from "../testing/console.ts";
import { buildPage, serve } from "../testing/serve.ts";

const chromium = chromiumPath();
const entry = fileURLToPath(new URL("../testing/core-page.ts", import.meta.url));

describe("core in a page with a strict content security policy", () => {
  it.skipIf(chromium === undefined)("checks exactly, without violating the policy", async () => {
    const served = await serve([], () => [[], false], { console: await buildPage(entry) });
    try {
      const { page, found } = await openApart(await sharedBrowser(chromium ?? ""), served.url);
      const response = await page.reload();
      expect(response?.headers()["content-security-policy"]).toContain("script-src 'self';");
      const body = page.locator("body[data-messages]");
      const messages = JSON.parse((await body.getAttribute("data-messages")) ?? "[]");
      // Only 9007199254740993.0 among these numbers is an integer; a double cannot distinguish them.
      const missing = "must have required property 'a'";
      expect(messages[0]).toEqual([missing]);
      expect(messages.slice(1)).toEqual(Array(7).fill([missing, "must be integer"]));
      expect(found).toEqual([]);
    } finally {
      await served.close();
    }
  });
});

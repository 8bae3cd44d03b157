import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { chromiumPath, launchChromium, troubles } from "../testing/browser.ts";
import { buildPage, serve } from "../testing/serve.ts";

const chromium = chromiumPath();
const entry = fileURLToPath(new URL("../testing/core-page.ts", import.meta.url));

describe("core in a page with the strict policy", () => {
  it.skipIf(chromium === undefined)(
    "judges exactly, and breaks no rule of the policy",
    async () => {
      const served = await serve([], () => [[], false], { console: await buildPage(entry) });
      const browser = await launchChromium(chromium ?? "");
      try {
        const page = await browser.newPage();
        const found = await troubles(page);
        const response = await page.goto(served.url);
        expect(response?.headers()["content-security-policy"]).toContain("script-src 'self';");
        const body = page.locator("body[data-messages]");
        const messages = JSON.parse((await body.getAttribute("data-messages")) ?? "[]");
        // Of these numbers only 9007199254740993.0 is an integer; a double cannot tell them apart.
        const missing = "must have required property 'a'";
        expect(messages[0]).toEqual([missing]);
        expect(messages.slice(1)).toEqual(Array(7).fill([missing, "must be integer"]));
        expect(found).toEqual([]);
      } finally {
        await browser.close();
        await served.close();
      }
    },
  );
});

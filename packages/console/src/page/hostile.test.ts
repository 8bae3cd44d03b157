import type { Tool } from "@touchstone/http";
import { beforeAll, expect, it } from "vitest";
import { long } from "../../../core/src/testing/sample.ts";
import { describePages, screenshot } from "../testing/console.ts";

const MARKUP = `<script>document.title="run"</script><img src=x onerror='document.title="run"'>`;
const HOSTILE = `${MARKUP}\u202egpj.exe\u200b\u{e0041}\u0000`;
const NAMED = "[U+202E]gpj.exe[U+200B][U+E0041][U+0000]";

const doubling = {
  $defs: Object.fromEntries(
    Array.from({ length: 40 }, (_, i) => {
      const $ref = `#/$defs/d${i + 1}`;
      return [`d${i}`, i === 39 ? {} : { properties: { a: { $ref }, b: { $ref } } }];
    }),
  ),
};

const TOOLS: readonly Tool[] = [
  {
    name: HOSTILE,
    title: HOSTILE,
    description: HOSTILE,
    inputSchema: {
      type: "object",
      title: HOSTILE,
      description: HOSTILE,
      required: [HOSTILE],
      properties: {
        [HOSTILE]: { type: "string", title: HOSTILE, description: HOSTILE, pattern: "^a" },
        choice: { enum: [HOSTILE, { [HOSTILE]: 1 }] },
        link: { type: "string", description: "[x](javascript:alert(1)) **bold**" },
        [`javascript:alert("1")`]: { type: "array", title: HOSTILE, items: { title: HOSTILE } },
        constructor: { type: "object", title: "__proto__", properties: { ["__proto__"]: {} } },
      },
    },
    outputSchema: { type: "object", properties: { [HOSTILE]: { type: "integer" } } },
  },
  {
    name: "doubling",
    description: "",
    inputSchema: { type: "object", ...doubling, properties: { a: { $ref: "#/$defs/d0" } } },
  },
  { name: "\ud800", description: "a lone surrogate" },
];

describePages("a hostile server", (console) => {
  let url = "";
  beforeAll(async () => {
    const call = () => ({
      content: [
        { type: "text" as const, text: HOSTILE },
        { type: "image", mimeType: "image/svg+xml", data: btoa(`<svg>${MARKUP}</svg>`) },
        { type: "image", mimeType: `image/png" onload="alert(1)`, data: "AAAA" },
        { type: "resource_link", uri: "javascript:alert(1)", name: HOSTILE },
      ],
      structuredContent: { [HOSTILE]: HOSTILE },
      traceId: HOSTILE,
    });
    const options = { title: HOSTILE, allowExecute: true };
    ({ url } = await console.serve(TOOLS, call, options));
  }, 60_000);

  it("runs nothing, reveals hidden characters, and does not violate the content security policy", async () => {
    const { page, found } = await console.open(url);
    const list = page.getByRole("navigation", { name: "Tools" });
    await list.getByRole("link", { name: /gpj/ }).click();
    const field = page.locator(".arguments textarea").first();
    await field.fill(HOSTILE);
    await page.locator('.verdict[data-state="invalid"]').waitFor();
    await page.getByRole("button", { name: "Validate" }).click();
    await page.getByText("The server finds these arguments invalid").waitFor();
    await field.fill(`a${HOSTILE}`);
    await page.getByText("With invisible characters:").getByText("[U+202E]").waitFor();
    await page.getByRole("button", { name: "Execute", exact: true }).click();
    await page.getByText("The tool ran").waitFor();
    for (const tab of ["Structured", "Raw", "Result"]) {
      await page.locator(".outcome").getByRole("tab", { name: tab }).click();
      await page.locator(".outcome").getByText("[U+202E]").first().waitFor();
    }
    for (const summary of ["cURL", "Input schema", "Output schema"]) {
      await page.getByText(summary, { exact: true }).click();
    }
    await page.getByRole("button", { name: "Add an item" }).first().click();
    await screenshot(page, "hostile");
    const texts = await page.locator("body").innerText();
    expect(texts).toContain(NAMED);
    for (const hidden of ["\u202e", "\u200b", "\0", "\u{e0041}"]) {
      expect(texts).not.toContain(hidden);
    }
    // Parts of Markdown that may do harm are left out.
    expect(texts).toContain("x bold");
    expect(await page.locator(".arguments a[href], .arguments img").count()).toBe(0);
    const attributes = await page.evaluate(() =>
      [...document.querySelectorAll("body *")].flatMap((each) =>
        [...each.attributes].map(({ name, value }) => `${name}=${value}`),
      ),
    );
    expect(attributes.filter((each) => /^on\w+=|^(href|src)=javascript/i.test(each))).toEqual([]);
    await page.locator(".arguments").getByRole("tab", { name: "JSON" }).click();
    await page.locator(".cm-hidden-character").first().waitFor();
    const own = "svg.lucide, aside img, header img, img.cm-widgetBuffer";
    const foreign = page.locator(`#console :is(script, iframe, object, svg, img):not(${own})`);
    expect(await foreign.count()).toBe(0);
    expect(await page.title()).not.toBe("run");
    expect(found).toEqual([]);
  });

  it("does not hang on a schema of billions of fields", long, async () => {
    const { page } = await console.open(`${url}#/tools/doubling`);
    await page.locator('.verdict[data-state="valid"]').waitFor();
    await page.getByRole("button", { name: "Add a", exact: true }).click();
    await page.getByRole("button", { name: "Add b", exact: true }).waitFor();
  });

  it("handles a tool name with half a character", async () => {
    const { page } = await console.open(url);
    await page.getByRole("link", { description: /lone surrogate/ }).click();
    await page.getByText("Tool not found").waitFor();
  });
});

import type { Page } from "playwright-core";
import { beforeAll, expect, it } from "vitest";
import { long } from "../../../core/src/testing/sample.ts";
import { describePages, type OpenPage, screenshot } from "../testing/console.ts";
import { runTool, TOOLS } from "../testing/tools.ts";

describePages("trying a tool", (console) => {
  let url = "";
  let closed = "";
  beforeAll(async () => {
    ({ url } = await console.serve(TOOLS, runTool, { allowExecute: true }));
    ({ url: closed } = await console.serve(TOOLS, runTool));
  }, 60_000);

  const open = (hash: string, base = url): Promise<OpenPage> => console.open(base + hash);
  const verdict = (page: Page, state: string) => page.locator(`.verdict[data-state="${state}"]`);

  it("finds a tool, shows what is wrong with its arguments, and runs it once fixed", async () => {
    const { page, found } = await open("");
    await page.getByRole("searchbox", { name: "Search tools" }).fill("wea city");
    await page.getByText("1 of 7 tools").waitFor();
    await page.getByRole("link", { name: /get_weather/ }).click();
    await page.locator(".badges").getByText("read-only", { exact: true }).waitFor();
    // A new form reports what is missing, and marks nothing as wrong.
    await page.getByRole("button", { name: "Fill in city" }).waitFor();
    const execute = page.getByRole("button", { name: "Execute", exact: true });
    await expect.poll(() => execute.isDisabled()).toBe(true);
    const city = page.getByLabel("city");
    const marked = page.locator('.notice.bad, .issues:visible, [aria-invalid="true"]');
    expect(await marked.count()).toBe(0);
    await screenshot(page, "fresh");
    await expect.poll(() => page.getByLabel("units").inputValue()).toBe("0");
    await city.fill("B");
    await page.locator('[data-pointer="/city"] .issues').getByText("must have at least").waitFor();
    await expect.poll(() => city.getAttribute("aria-invalid")).toBe("true");
    await screenshot(page, "invalid");
    await city.fill("Berlin");
    await verdict(page, "valid").waitFor();
    await expect.poll(() => city.getAttribute("aria-invalid")).toBe("false");
    await page.keyboard.press("Control+Enter");
    await page.getByText("The tool ran").waitFor();
    await page.getByText("Valid structured output").waitFor();
    const sent = '{"units":"metric","station":1,"city":"Berlin"}';
    await page.getByText(`called get_weather with ${sent}`).waitFor();
    await page.getByText(/200, [\d.]+ m?s/).waitFor();
    await page.getByText("trace-1").waitFor();
    await screenshot(page, "result");
    await page.getByRole("tab", { name: "Structured" }).click();
    await page.getByText('"temperature": 21.5').waitFor();
    await page.getByRole("tab", { name: "Raw" }).click();
    await page.getByText('"_trace_id"').waitFor();
    expect(found).toEqual([]);
  });

  it("shows an empty field, not null, for a required number without a value", long, async () => {
    const inputSchema = {
      type: "object",
      properties: { n: { type: "number" }, any: { type: ["number", "null"] } },
      required: ["n", "any"],
    };
    const tools = [{ name: "half", description: "", inputSchema }];
    const numbers = await console.serve(tools, runTool, { allowExecute: true });
    const { page, found } = await open("#/tools/half", numbers.url);
    const n = page.getByLabel("n", { exact: true });
    await n.waitFor();
    await expect.poll(() => n.inputValue()).toBe("");
    const any = page.getByLabel("any", { exact: true });
    await expect.poll(() => any.inputValue()).toBe("");
    await page.getByLabel("any is null").check();
    expect(await any.count()).toBe(0);
    await n.fill("2.50");
    await verdict(page, "valid").waitFor();
    expect(found).toEqual([]);
  });

  it("keeps a draft over a reload, in its tab only, without possible secrets", long, async () => {
    const { page } = await open("#/tools/get_weather");
    await page.getByLabel("city").fill("Kiel");
    await verdict(page, "valid").waitFor();
    await page.reload();
    await verdict(page, "valid").waitFor();
    await expect.poll(() => page.getByLabel("city").inputValue()).toBe("Kiel");
    await page.getByRole("button", { name: "Start over" }).click();
    await page.reload();
    await page.getByRole("button", { name: "Fill in city" }).waitFor();
    await page.getByRole("tab", { name: "JSON" }).click();
    const editor = page.getByRole("textbox", { name: "Arguments as JSON" });
    await editor.fill('{"city":"Kiel","api_key":"hunter2"}');
    await verdict(page, "invalid").waitFor();
    const kept = await page.evaluate(() =>
      JSON.stringify([{ ...localStorage }, { ...sessionStorage }]),
    );
    expect(kept).not.toContain("hunter2");
    expect(kept).toContain("Kiel");
  });

  it("shows that the page does not exist for an unknown address", async () => {
    const { page, found } = await open("#/nothing/here");
    await page.getByRole("heading", { name: "Page not found" }).waitFor();
    await page.getByRole("link", { name: "All tools" }).click();
    await page.getByRole("searchbox", { name: "Search tools" }).waitFor();
    expect(found).toEqual([]);
  });

  it(
    "keeps each tool's arguments while another is open, but not in lasting storage",
    long,
    async () => {
      const { page } = await open("#/tools/get_weather");
      await page.getByLabel("city").fill("s3cret");
      await page.getByRole("link", { name: /send_parcel/ }).click();
      await page.getByLabel("street").fill("Elsewhere");
      await page.goBack();
      await verdict(page, "valid").waitFor();
      await expect.poll(() => page.getByLabel("city").inputValue()).toBe("s3cret");
      const kept = await page.evaluate(() =>
        JSON.stringify([{ ...localStorage }, document.cookie, location.href]),
      );
      expect(kept).not.toContain("s3cret");
      await page.getByRole("button", { name: "Start over" }).click();
      await page.getByRole("link", { name: /send_parcel/ }).click();
      await expect.poll(() => page.getByLabel("street").inputValue()).toBe("Elsewhere");
      await page.getByRole("link", { name: /get_weather/ }).click();
      await verdict(page, "invalid").waitFor();
      await expect.poll(() => page.getByLabel("city").inputValue()).toBe("");
    },
  );

  it("keeps a tool's results while another is open", long, async () => {
    const { page, found } = await open("#/tools/get_weather");
    await page.getByLabel("city").fill("Ulm");
    await page.getByRole("button", { name: "Execute", exact: true }).click();
    await page.getByText(/called get_weather with .*"city":"Ulm"/).waitFor();
    await page.getByRole("link", { name: /send_parcel/ }).click();
    await page.getByLabel("street").waitFor();
    expect(await page.getByText("The tool ran").count()).toBe(0);
    await page.getByRole("link", { name: /get_weather/ }).click();
    await page.getByText(/called get_weather with .*"city":"Ulm"/).waitFor();
    const changed = page.getByText("The arguments have changed since.");
    expect(await changed.count()).toBe(0);
    await page.getByLabel("city").fill("Bonn");
    await changed.waitFor();
    await page.getByRole("button", { name: "Execute", exact: true }).click();
    await page.getByText(/called get_weather with .*"city":"Bonn"/).waitFor();
    expect(await changed.count()).toBe(0);
    // Earlier calls can be viewed, changed and sent again.
    const calls = page.getByRole("region", { name: "Your calls" });
    await expect.poll(() => calls.getByRole("listitem").count()).toBe(2);
    await calls
      .getByRole("button", { name: /^Show the call/ })
      .last()
      .click();
    await page.getByText(/called get_weather with .*"city":"Ulm"/).waitFor();
    await calls
      .getByRole("button", { name: /^Edit the arguments/ })
      .last()
      .click();
    await expect.poll(() => page.getByLabel("city").inputValue()).toBe("Ulm");
    await calls
      .getByRole("button", { name: /^Repeat the call/ })
      .last()
      .click();
    await expect.poll(() => calls.getByRole("listitem").count()).toBe(3);
    expect(found).toEqual([]);
  });

  it("shows line and column of invalid JSON, in the editor and from the server", long, async () => {
    const { page } = await open("#/tools/get_weather");
    await page.getByRole("tab", { name: "JSON" }).click();
    await page.getByRole("textbox", { name: "Arguments as JSON" }).fill('{\n"city": }');
    await page.getByRole("button", { name: "line 2, column 9" }).waitFor();
    await page.getByRole("button", { name: "Validate" }).click();
    await page.locator(".outcome").getByText("line 2, column 9").waitFor();
    await page.getByRole("button", { name: "Execute anyway" }).click();
    await page
      .locator(".outcome")
      .getByText(/, at line 2, column 9/)
      .waitFor();
    expect(await page.locator(".outcome .notice").innerText()).not.toContain("byte");
  });

  it("folds long lists, so that the result stays in view", long, async () => {
    const { page, found } = await open("#/tools/send_parcel");
    await page.getByRole("tab", { name: "JSON" }).click();
    const numbers = JSON.stringify(Array(150).fill("x"));
    const editor = page.getByRole("textbox", { name: "Arguments as JSON" });
    await editor.fill(`{"to":{"street":"abc"},"numbers":${numbers}}`);
    const listed = page.locator(".arguments .findings li:visible");
    await page.getByRole("button", { name: "/numbers/9", exact: true }).waitFor();
    await expect.poll(() => listed.count()).toBe(10);
    await page.locator(".arguments summary", { hasText: "91 more lines" }).click();
    await listed.getByText("and 50 more").waitFor();
    await page.getByRole("button", { name: "Validate" }).click();
    // The page lists no more issues than the server does, so it cannot know that all of them are shown above.
    await page.locator(".outcome summary", { hasText: "more lines" }).waitFor();
    await expect.poll(() => page.locator(".outcome li:visible").count()).toBe(10);
    expect(found).toEqual([]);
  });

  it("shows that an output violates its schema", async () => {
    const { page, found } = await open("#/tools/get_weather");
    await page.getByLabel("city").fill("Breakage");
    await page.getByRole("button", { name: "Execute", exact: true }).click();
    await page.getByText("Invalid structured output").waitFor();
    await page.locator(".outcome .findings").getByText("/temperature").waitFor();
    expect(found).toEqual([]);
  });

  it("says that a call was not run, and what Touchstone withheld", long, async () => {
    const { page } = await open("#/tools/get_weather");
    await page.getByRole("button", { name: "Execute anyway" }).click();
    await page.getByText("Not run: the arguments do not match").waitFor();
    await page.locator('[data-pointer="/city"] .issues').getByText("is required").waitFor();
    expect(await page.getByText("The result is an error").count()).toBe(0);
    expect(await page.getByText("was not checked").count()).toBe(0);
    await page.getByLabel("city").fill("Blockage");
    await page.getByRole("button", { name: "Execute", exact: true }).click();
    await page.getByText("Blocked by Touchstone: output schema validation failed: /t").waitFor();
    expect(await page.getByText("The result is an error").count()).toBe(0);
    expect(await page.getByText("was not checked").count()).toBe(0);
  });

  it("shows images, and errors as errors", long, async () => {
    const { page } = await open("#/tools/picture");
    await page.getByRole("button", { name: "Execute", exact: true }).click();
    const image = page.getByRole("img", { name: "Content 1, image/png" });
    await image.waitFor();
    expect(await image.evaluate((each) => (each as HTMLImageElement).naturalWidth)).toBe(1);
    await page.getByText("declares no output schema, so").waitFor();
    await page.goto(`${url}#/tools/fails`);
    await page.getByRole("heading", { name: "fails" }).waitFor();
    await page.getByRole("button", { name: "Execute", exact: true }).click();
    await page.getByText("The result is an error").waitFor();
  });

  it("validates while execution is off, and says how to turn it on", long, async () => {
    const { page } = await open("#/tools/get_weather", closed);
    await page.getByText("Running tools from the console is off.").waitFor();
    await page.keyboard.press("Control+Enter");
    await page.getByText("invalid for the reasons above. Nothing was run.").waitFor();
    await page.getByLabel("city").fill("Berlin");
    await page.getByRole("button", { name: "Validate" }).click();
    await page.getByText("The server finds these arguments valid. Nothing was run.").waitFor();
    await expect
      .poll(() => page.getByRole("button", { name: "Execute", exact: true }).isDisabled())
      .toBe(true);
    expect(await page.getByRole("button", { name: "Execute anyway" }).count()).toBe(0);
    const how = page.getByText("createNodeHandler(tools, handleCall, { allowExecute: true");
    expect(await how.isVisible()).toBe(false);
    await page.getByText("How to turn it on").click();
    await page.getByText("createNodeHandler(tools, handleCall, { allowExecute: true").waitFor();
  });

  it(
    "runs a tool for those whom the program that serves the page knows by its cookie",
    long,
    async () => {
      const guarded = await console.serve(TOOLS, runTool, {
        allowExecute: true,
        authHook: (request, next) => {
          if (request.headers["cookie"] !== "session=known") throw new Error("no");
          return next();
        },
      });
      const { page } = await open("#/tools/picture", guarded.url);
      await page.getByRole("button", { name: "Execute", exact: true }).click();
      await page.getByText("Unauthorized. Sign in, then try again.").waitFor();
      await page.context().addCookies([{ name: "session", value: "known", url: guarded.url }]);
      await page.getByRole("button", { name: "Execute", exact: true }).click();
      await page.getByText("The tool ran").waitFor();
      await page.context().clearCookies();
    },
  );

  it("shows the equivalent command, and copies it", long, async () => {
    const context = { permissions: ["clipboard-read", "clipboard-write"] };
    const { page } = await console.open(`${url}#/tools/get_weather`, context);
    await page.getByLabel("city").fill("it's");
    await page.getByText("cURL", { exact: true }).click();
    await page.getByRole("button", { name: "Copy cURL" }).click();
    await page.getByText("Copied cURL").waitFor();
    const command = await page.evaluate(() => navigator.clipboard.readText());
    expect(command).toContain(`curl --globoff '${url}tools/get_weather/call'`);
    expect(command).toContain(`"city": "it'\\''s"`);
  });

  it("scrolls a long list to the open tool", long, async () => {
    const many = Array.from({ length: 60 }, (_, i) => ({
      name: `tool-${i}`,
      description: "One of many",
      inputSchema: { type: "object" },
    }));
    const { url: long } = await console.serve(many, runTool);
    const { page } = await open("#/tools/tool-59", long);
    const item = page.getByRole("link", { name: /tool-59/ });
    const list = page.locator(".tool-list ul");
    await page.getByRole("heading", { name: "tool-59" }).waitFor();
    const isIn = async (): Promise<boolean> => {
      const [box, at] = [await list.boundingBox(), await item.boundingBox()];
      return (
        box !== null && at !== null && at.y >= box.y && at.y + at.height <= box.y + box.height + 1
      );
    };
    expect(await isIn()).toBe(true);
    expect(await page.evaluate(() => scrollY)).toBe(0);
    await page.evaluate(() => (location.hash = "#/tools/tool-0"));
    await page.getByRole("heading", { name: "tool-0", exact: true }).waitFor();
    expect(await list.evaluate((each) => each.scrollTop)).toBe(0);
  });

  it("shows the tool's schemas and their faults", long, async () => {
    const { page } = await open("#/tools/get_weather");
    await page.getByText("Output schema", { exact: true }).click();
    await page.getByRole("region", { name: "Output schema" }).getByText("temperature").waitFor();
    await page.goto(`${url}#/tools/broken`);
    await verdict(page, "unusable").waitFor();
    await page.getByText(/^The input schema of this tool cannot be used/).waitFor();
    expect(await page.locator('.arguments [aria-invalid="true"], .arguments li').count()).toBe(0);
    await page.getByText("Input schema", { exact: true }).click();
    await page.getByText("It cannot be used.").waitFor();
    await page.goto(`${url}#/tools/gone`);
    await page.getByText("Tool not found: gone").waitFor();
  });
});

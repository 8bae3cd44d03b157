import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { cutSelects, findings, overflow } from "../testing/axe.ts";
import { chromiumPath } from "../testing/browser.ts";
import { type OpenPage, openApart, screenshot, sharedBrowser } from "../testing/console.ts";
import { Keyboard } from "../testing/keyboard.ts";
import { LOOKS } from "../testing/looks.ts";
import { buildPlayground, servePlayground } from "../testing/playground.ts";
import type { Served } from "../testing/serve.ts";
import { answer } from "./answer/answer.ts";
import { LIMIT_MS } from "./checker.ts";
import { MAX_FIELD, type PlaygroundState } from "./question.ts";

const chromium = chromiumPath();
const AGENT = "The call of";

const tab = (page: Page, name: string) => page.getByRole("tab", { name });
const field = (page: Page, label: string) => page.getByRole("textbox", { name: label });
const result = (page: Page) => page.getByRole("region", { name: "Result" });
/** Waits for the answer to the last input. */
const settled = (page: Page) =>
  page.locator('section[aria-label="Result"][aria-busy="false"]').waitFor();

/** Pastes a text as a user does: tests may not be allowed to use the browser's clipboard. */
async function paste(page: Page, label: string, length: number): Promise<void> {
  await field(page, label).evaluate((element, count) => {
    const data = new DataTransfer();
    data.setData("text/plain", "[".repeat(count));
    const event = new ClipboardEvent("paste", {
      clipboardData: data,
      cancelable: true,
      bubbles: true,
    });
    if (!element.dispatchEvent(event)) return;
    document.execCommand("insertText", false, data.getData("text/plain"));
  }, length);
}

describe.skipIf(chromium === undefined)("the playground", () => {
  let browser: Browser;
  let served: Served;

  beforeAll(async () => {
    browser = await sharedBrowser(chromium ?? "");
    served = await servePlayground(await buildPlayground());
  });
  afterAll(() => served?.close());

  const open = (options = {}, fragment = ""): Promise<OpenPage> =>
    openApart(browser, served.url + fragment, options);

  it("has the same policy in its page and in the response, and sends nothing", async () => {
    const { page, found } = await open();
    const asked: string[] = [];
    page.on("request", (request) => asked.push(request.url()));
    const response = await page.reload();
    const header = response?.headers()["content-security-policy"] ?? "";
    const meta = page.locator('meta[http-equiv="Content-Security-Policy"]');
    expect(`${await meta.getAttribute("content")}; frame-ancestors 'none'`).toBe(header);
    await page.getByText(AGENT).waitFor();
    for (const name of ["Lint and adapt", "Compare two lists"]) {
      await tab(page, name).click();
      await settled(page);
    }
    expect(
      asked.filter((url) => !/\/$|\.(?:js|css|woff2)$/.test(url) && !url.startsWith("blob:")),
    ).toEqual([]);
    expect(found).toEqual([]);
  });

  it.each(LOOKS)(
    "is readable by everybody: %s, %d pixels wide",
    async (colorScheme, width, height) => {
      const { page, found } = await open({ colorScheme, viewport: { width, height } });
      await page.getByText(AGENT).waitFor();
      await page.getByLabel("Example").selectOption({ index: 1 });
      for (const name of ["Check a call", "Lint and adapt", "Compare two lists"]) {
        await tab(page, name).click();
        await page.getByRole("tabpanel", { name }).waitFor();
        await settled(page);
        expect([name, await findings(page)]).toEqual([name, []]);
        expect([name, await overflow(page)]).toEqual([name, 0]);
        await screenshot(page, `playground-${name.split(" ")[0]}-${width}-${colorScheme}`);
      }
      expect(await cutSelects(page)).toEqual([]);
      expect(found).toEqual([]);
    },
  );

  it("is used with a keyboard alone", async () => {
    const { page } = await open();
    await page.getByText(AGENT).waitFor();
    const keyboard = new Keyboard(page);
    await keyboard.to(field(page, "Arguments"));
    await keyboard.write('{"city":"Oslo"}');
    await result(page).getByText("The arguments match the tool's input schema").waitFor();
    await keyboard.to(tab(page, "Check a call"), "Shift+Tab");
    await keyboard.press("ArrowRight", "ArrowRight");
    await page.getByRole("list", { name: "Changes" }).waitFor();
    await keyboard.to(field(page, "After"));
  });

  it("works without a network once it is loaded", async () => {
    const { page, found } = await open();
    await page.getByText(AGENT).waitFor();
    await page.context().setOffline(true);
    await page.route("**/*", (route) => route.abort());
    await field(page, "Arguments").fill('{"city":"Oslo","days":"2"}');
    await result(page).getByText("The safe repairs make the arguments valid").waitFor();
    for (const name of ["Lint and adapt", "Compare two lists"]) {
      await tab(page, name).click();
      await result(page).getByRole("heading").first().waitFor();
    }
    expect(found).toEqual([]);
  });

  /** Waits until the address of a page contains what is entered. Returns its fragment. */
  async function fragmentWith(page: Page, part: Partial<PlaygroundState>): Promise<string> {
    const stateOf = async (): Promise<unknown> => {
      const reply = await answer("decode", { fragment: new URL(page.url()).hash.slice(1) });
      return reply.ok ? reply.state : reply;
    };
    await expect.poll(stateOf).toMatchObject(part);
    return new URL(page.url()).hash;
  }

  it("restores what was shared by its address", async () => {
    const { page } = await open();
    const next = '{"tools":[{"name":"only","inputSchema":{}}]}';
    await tab(page, "Compare two lists").click();
    await field(page, "After").fill(next);
    await result(page).getByText("this tool is gone").waitFor();
    const hash = await fragmentWith(page, { view: "compare", next });
    await field(page, "Before").fill("[]");
    await result(page).getByText("the list has no tools").waitFor();
    await fragmentWith(page, { tools: "[]" });
    const other = await open({}, hash);
    await other.page.getByRole("tabpanel", { name: "Compare two lists" }).waitFor();
    expect(await field(other.page, "After").inputValue()).toBe(next);
    await result(other.page).getByText("this tool is gone").waitFor();
    // A link that is opened in the same tab.
    await page.evaluate((shared) => location.replace(shared), hash);
    await result(page).getByText("this tool is gone").waitFor();
  });

  it("copies a link that holds what was entered last", async () => {
    const { page } = await open({ permissions: ["clipboard-read", "clipboard-write"] });
    await page.getByText(AGENT).waitFor();
    await field(page, "Arguments").fill('{"city":"Rome"}');
    await page.getByRole("button", { name: "Copy link" }).click();
    await page.getByText("Copied. The link holds everything").waitFor();
    const link = await page.evaluate(() => navigator.clipboard.readText());
    const reply = await answer("decode", { fragment: new URL(link).hash.slice(1) });
    expect(reply).toMatchObject({ ok: true, state: { args: '{"city":"Rome"}' } });
  });

  it("says that an address cannot be read, and shows an example", async () => {
    const { page } = await open({}, "#v1.nothing");
    await page.getByText("The link is damaged or from another version").waitFor();
    await page.getByText(AGENT).waitFor();
  });

  it("refuses 10 MB before the browser has to show them", async () => {
    const { page } = await open();
    await page.getByText(AGENT).waitFor();
    const before = await field(page, "Tools").inputValue();
    await field(page, "Tools").focus();
    await paste(page, "Tools", 10_000_000);
    const said = page.getByText(/characters\. The playground takes 524,288/);
    await said.waitFor();
    expect(await field(page, "Tools").inputValue()).toBe(before);
    // The same if the text does not come from the clipboard.
    await field(page, "Arguments").fill("1".repeat(MAX_FIELD + 1));
    await expect.poll(() => said.count()).toBe(2);
    expect(await field(page, "Arguments").inputValue()).toContain("Oslo");
    await field(page, "Tools").fill("true");
    await expect.poll(() => said.count()).toBe(1);
  });

  it.each<[string, string, string]>([
    ["deep", "[".repeat(200_000), "Tools: not JSON"],
    ["a slow pattern", '{"properties":{"citi":{"pattern":"^(a+)+$"}}}', "/citi"],
    ["a lone surrogate", '{"required":["\ud800"]}', "required"],
    [
      "numbers beyond doubles",
      '{"properties":{"days":{"type":"string","maximum":1e400}}}',
      "The arguments match",
    ],
    ["a key twice", '{"type":"object","type":"string"}', "occurs twice"],
  ])("answers what is hostile: %s", async (_, tools, text) => {
    const { page, found } = await open();
    await page.getByText(AGENT).waitFor();
    await field(page, "Tools").fill(tools);
    await result(page).getByText(text).first().waitFor();
    expect(found).toEqual([]);
  });

  it("answers clicks while its worker is busy, ends it at the limit, and starts another", async () => {
    const { page } = await open();
    const { page: busy, found } = await openApart(browser, "about:blank");
    await page.close();
    // The first worker never answers.
    await busy.addInitScript(() => {
      const Real = Worker;
      let isFirst = true;
      globalThis.Worker = function start(url: string, options: WorkerOptions): Worker {
        const code = isFirst ? "onmessage = () => { for (;;); };" : undefined;
        isFirst = false;
        const at =
          code === undefined
            ? url
            : URL.createObjectURL(new Blob([code], { type: "text/javascript" }));
        return new Real(at, options);
      } as unknown as typeof Worker;
    });
    await busy.clock.install();
    await busy.goto(served.url);
    await busy.clock.runFor(1_000);
    await expect.poll(() => busy.workers().length).toBe(1);
    const [endless] = busy.workers();
    const ended = new Promise((resolve) => endless?.once("close", resolve));
    await result(busy).getByText("Checking…").waitFor();
    await tab(busy, "Compare two lists").click();
    await field(busy, "After").fill("[]");
    expect(await field(busy, "After").inputValue()).toBe("[]");
    await tab(busy, "Check a call").click();
    await busy.clock.runFor(LIMIT_MS);
    await ended;
    await busy.clock.runFor(1_000);
    await busy.getByText(AGENT).waitFor();
    expect(found).toEqual([]);
  });
});

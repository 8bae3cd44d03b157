import type { Page } from "playwright-core";
import { beforeAll, expect, it } from "vitest";
import { sentArguments, writeArguments } from "../testing/arguments.ts";
import { describePages } from "../testing/console.ts";
import { runTool, TOOLS } from "../testing/tools.ts";

const BIG = "9007199254740993";

describePages("the form", (console) => {
  let url = "";
  beforeAll(async () => {
    ({ url } = await console.serve(TOOLS, runTool));
  }, 60_000);

  const open = async (tool: string) => {
    const { page, found } = await console.open(`${url}#/tools/${tool}`);
    await page.getByRole("tab", { name: "JSON" }).waitFor();
    return { page, found };
  };
  const editor = (page: Page) => page.getByRole("textbox", { name: "Arguments as JSON" });

  it("starts with what is required, and fills in nothing of its own", async () => {
    const { page } = await open("send_parcel");
    await page.getByLabel("street").waitFor();
    expect(await sentArguments(page)).toBe('{"to": null}');
  });

  it("fills in a nested object behind a reference", async () => {
    const { page, found } = await open("send_parcel");
    await page.getByLabel("street").fill("Unter den Linden\n1");
    await page.getByLabel("zip").fill("10117.0");
    await page.locator('.verdict[data-state="valid"]').waitFor();
    expect(await sentArguments(page)).toBe(
      '{"to": {"street": "Unter den Linden\\n1","zip": 10117.0}}',
    );
    await page.getByLabel("zip").fill("x");
    await page
      .locator('[data-pointer="/to/zip"] .issues')
      .getByText(/must be an integer/)
      .waitFor();
    expect(await sentArguments(page)).toContain('"zip": "x"');
    await page.getByLabel("zip").fill("");
    expect(await sentArguments(page)).toBe('{"to": {"street": "Unter den Linden\\n1"}}');
    expect(found).toEqual([]);
  });

  it("adds, moves and removes items, each with all its digits", async () => {
    const { page } = await open("send_parcel");
    await writeArguments(page, `{"to":{"street":"abc"},"numbers":[${BIG},9007199254740992,1.0]}`);
    const item = (index: number) => page.locator(`[data-pointer="/numbers/${index}"] textarea`);
    expect(await item(0).inputValue()).toBe(BIG);
    await page.getByRole("button", { name: "Remove item 2" }).click();
    expect(await sentArguments(page)).toContain(`"numbers": [${BIG},1.0]`);
    await page.getByRole("button", { name: "Move item 1 down" }).click();
    expect(await sentArguments(page)).toContain(`"numbers": [1.0,${BIG}]`);
    await page.getByRole("button", { name: "Add an item to numbers" }).click();
    await item(2).fill("7");
    await page.getByLabel("street").fill("abcd");
    expect(await sentArguments(page)).toBe(`{"to": {"street": "abcd"},"numbers": [1.0,${BIG},7]}`);
  });

  it("chooses between schemas, and shows the fields of the one that is chosen", async () => {
    const { page } = await open("send_parcel");
    const kind = page.getByLabel("Kind of Payment");
    await kind.selectOption({ label: "Cash" });
    await page.getByLabel("cents").fill(BIG);
    expect(await sentArguments(page)).toContain(`"payment": {"cents": ${BIG}}`);
    await kind.selectOption({ label: "Card" });
    await page.getByLabel("card").fill("1234");
    expect(await sentArguments(page)).toContain('"card": "1234"');
  });

  it("adds and names properties of an open object", async () => {
    const { page } = await open("send_parcel");
    await page.getByRole("button", { name: "Add a property to extra" }).click();
    const name = page.getByLabel("Name of property newKey");
    await name.fill("color");
    await name.blur();
    await page.locator('[data-pointer="/extra/color"] textarea').fill("red");
    expect(await sentArguments(page)).toContain('"extra": {"color": "red"}');
    await page.getByRole("button", { name: "Add a property to extra" }).click();
    const taken = page.getByLabel("Name of property newKey");
    await taken.fill("color");
    await taken.blur();
    expect(await taken.inputValue()).toBe("newKey");
    await page.getByRole("button", { name: "Remove property newKey" }).click();
    await page.getByRole("button", { name: "Remove property color" }).click();
    expect(await sentArguments(page)).toContain('"extra": {}');
  });

  it("takes any JSON where any is allowed", async () => {
    const { page } = await open("send_parcel");
    const anything = page.getByLabel("anything");
    for (const [typed, value] of [
      [`[1.0, ${BIG}]`, `[1.0,${BIG}]`],
      ["words", '"words"'],
      ['"5"', '"5"'],
      ["null", "null"],
    ] as const) {
      await anything.fill(typed);
      expect(await sentArguments(page)).toContain(`"anything": ${value}`);
    }
  });

  it("opens a schema inside of itself when asked", async () => {
    const { page, found } = await open("tree");
    const child = page.getByRole("button", { name: "Open child" });
    await child.click();
    await child.click();
    await page.locator('[data-pointer="/root/child/child"]').waitFor();
    expect(await sentArguments(page)).toBe("{}");
    await writeArguments(page, `{"root":{"child":{"child":{"weight":${BIG}}}}}`);
    await child.click();
    await child.click();
    const weight = page.locator('[data-pointer="/root/child/child/weight"] textarea');
    expect(await weight.inputValue()).toBe(BIG);
    expect(found).toEqual([]);
  });

  it("keeps what it cannot show, and says so", async () => {
    const { page } = await open("send_parcel");
    await writeArguments(page, '{"to": nope');
    await page.getByText("The text is not JSON. Fix it under JSON").waitFor();
    await page.locator('.verdict[data-state="unreadable"]').waitFor();
    await page.getByRole("button", { name: "line 1, column 8" }).waitFor();
    await writeArguments(page, `{"to":${"[".repeat(64)}${"]".repeat(64)}}`);
    await page.getByText("The arguments nest too deep for a form. Fix it under").waitFor();
    await writeArguments(page, "[1]");
    await page.getByText("The arguments are not an object.").waitFor();
    await page.getByRole("button", { name: "Start over" }).click();
    await page.getByLabel("street").waitFor();
  });

  it("says that it cannot follow references to elsewhere", async () => {
    const { page } = await open("remote");
    await page.getByText("It has references that a form cannot follow.").waitFor();
  });

  it("tells what to fix apart from what is only odd", async () => {
    const { page } = await open("send_parcel");
    await writeArguments(page, `{"to":{"street":"ab","zip":${BIG}}}`);
    const told = page.locator(".arguments .notice").locator(".findings, .warnings-head, .warnings");
    await expect
      .poll(() => told.allTextContents())
      .toEqual([
        expect.stringContaining("/to/street"),
        "Warnings, which make nothing invalid:",
        expect.stringContaining("/to/zip"),
      ]);
  });

  it("leaves values to the editor that are too many to draw", async () => {
    const { page, found } = await open("send_parcel");
    await page.getByRole("tab", { name: "JSON" }).click();
    await editor(page).focus();
    await page.keyboard.press("Control+a");
    const many = { to: { street: "abc" }, numbers: Array(3_000).fill(1) };
    await page.keyboard.insertText(JSON.stringify(many));
    await page.locator('.verdict[data-state="valid"]').waitFor();
    await page.getByRole("tab", { name: "Form" }).click();
    await page.getByText("more than 2,000 values, too many for a form").waitFor();
    await page.getByRole("tab", { name: "JSON" }).click();
    await editor(page).focus();
    await page.keyboard.press("Control+a");
    await page.keyboard.insertText('{"to":{"street":"abc"},"numbers":[1]}');
    await page.getByRole("tab", { name: "Form" }).click();
    await page.getByLabel("Item 1", { exact: true }).waitFor();
    expect(found).toEqual([]);
  });

  it("leads from an issue to its field, and to its place in the text", async () => {
    const { page } = await open("send_parcel");
    await writeArguments(page, '{"to":{"street":"ab","house":1}}');
    await page.getByRole("button", { name: "/to/street" }).click();
    const focused = () =>
      page.evaluate(() => document.activeElement?.closest("[data-pointer]")?.outerHTML ?? "");
    expect(await focused()).toContain('data-pointer="/to/street"');
    // There is no field for what the schema does not know.
    await page.getByRole("button", { name: "/to/house" }).click();
    await editor(page).waitFor();
    expect(await page.locator(".cm-content").evaluate((each) => each.matches(":focus"))).toBe(true);
    // The browser takes over what the editor has selected a moment later.
    const selected = () =>
      page.locator(".cm-content").evaluate((each) => {
        const root = each.getRootNode() as Partial<Pick<Document, "getSelection">>;
        return String(root.getSelection?.() ?? document.getSelection());
      });
    await expect.poll(selected).toBe("1");
    await page.keyboard.press("Delete");
    await expect.poll(() => sentArguments(page)).toBe('{"to":{"street":"ab","house":}}');
  });
});

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { long, sample } from "../../../core/src/testing/sample.ts";
import { initialize, post, request } from "../../../gateway/src/testing/http.ts";
import { findings, moved, overflow } from "../testing/axe.ts";
import { callTools, describeGatewayPages, FAULTY, type ServedGateway } from "../testing/gateway.ts";
import { Keyboard } from "../testing/keyboard.ts";
import { LOOKS } from "../testing/looks.ts";

const SERVER = fileURLToPath(
  new URL("../../../gateway/src/testing/changing-server.mjs", import.meta.url),
);
const MAIL = { type: "string", format: "email" };
/** A tool with a field of every kind. */
const BOOK = {
  name: "book",
  description: "Books a room",
  inputSchema: {
    type: "object",
    properties: {
      guest: { type: "string", minLength: 2 },
      nights: { type: "integer", minimum: 1 },
      price: { type: "number" },
      room: { enum: ["single", "double"] },
      breakfast: { type: "boolean" },
      from: { type: "string", format: "date" },
      arrival: { type: "string", format: "date-time" },
      api_key: { type: "string", format: "password" },
      extras: { type: "array", items: { enum: ["towels", "view"] }, uniqueItems: true },
      mails: { type: "array", items: MAIL },
      labels: { type: "object", additionalProperties: { type: "string" } },
      payment: {
        oneOf: [
          { title: "Card", type: "object", properties: { card: MAIL }, required: ["card"] },
          { title: "Cash", type: "object", properties: { cents: { type: "integer" } } },
        ],
      },
      address: { type: "object", properties: { street: { type: "string" } } },
      note: { type: ["string", "null"] },
      hold: { type: "boolean" },
    },
    required: ["guest", "nights", "room"],
  },
};
const tool = (name: string, more = {}) => ({
  ...{ name, description: "Reads.", inputSchema: { type: "object" } },
  ...more,
});
/** One tool for each walk: once approved, a tool is not held anymore. */
// One tool for each walk to approve, and two that remain for the walk through the lists.
const READS = [...LOOKS.map((_, look) => `read-${look}`), "read-on", "read-more"];

/** A walk through the console with the keyboard alone. */
interface Walk {
  readonly keys: Keyboard;
  readonly page: Page;
  readonly gateway: ServedGateway;
  /** The index of the walk. */
  readonly look: number;
}

/** Opens a page from the sidebar, or from the menu on small screens. */
async function goTo({ keys, page }: Walk, name: string): Promise<void> {
  const menu = page.getByRole("button", { name: "Menu", exact: true });
  // Before the page is drawn, neither exists.
  await page.getByRole("main").waitFor();
  if (await menu.isVisible()) {
    await keys.enter(menu);
    await keys.enter(page.getByRole("dialog").getByRole("link", { name, exact: true }));
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await keys.isOn(menu);
  } else {
    await keys.enter(page.getByRole("link", { name, exact: true }));
  }
  await page.getByRole("heading", { level: 1, name }).waitFor();
}

/** Signs in where the page requires it: the first change of a visitor needs it. */
async function signIn(walk: Walk): Promise<void> {
  const { keys, page, gateway } = walk;
  const field = page.getByLabel("Key", { exact: true });
  await keys.isOn(field);
  await isFine(walk, "the sign-in");
  await keys.write(gateway.token);
  await keys.press("Enter");
  await field.waitFor({ state: "detached" });
}

/** Presses the button of the newest message, wherever the focus is. */
async function undo({ keys, page }: Walk): Promise<void> {
  const buttons = page.getByRole("button", { name: "Undo" });
  await buttons.first().waitFor();
  const count = await buttons.count();
  await keys.press("F6");
  await keys.enter(buttons.first());
  await page.getByText("Undone", { exact: true }).first().waitFor();
  await expect.poll(() => buttons.count()).toBeLessThan(count);
}

async function isFine({ page }: Walk, what: string): Promise<void> {
  expect([what, await moved(page)]).toEqual([what, []]);
  expect([what, await findings(page)]).toEqual([what, []]);
  expect([what, await overflow(page)]).toEqual([what, 0]);
}

const rows = (page: Page): Locator => page.locator('.rows [role="row"]');
const firstRow = (page: Page): Locator => rows(page).first().getByRole("link");

/** Each path through the console, from the start of a page. */
const WALKS: readonly (readonly [
  name: string,
  hash: string,
  walk: (walk: Walk) => Promise<void>,
])[] = [
  [
    "from the overview to a blocked call, to what would allow it, and back",
    "overview",
    async (walk) => {
      const { keys, page, gateway } = walk;
      const before = gateway.text();
      await keys.enter(page.getByRole("link", { name: /^Blocked ?\d/ }));
      await page.waitForURL(/status=blocked/);
      await keys.enter(firstRow(page));
      const sheet = page.getByRole("dialog", { name: /^call: strict/ });
      const allow = sheet.getByRole("button", { name: "Allow this" });
      await keys.enter(allow);
      await signIn(walk);
      const dialog = page.getByRole("dialog", { name: "Allow what this call does" });
      const difference = dialog.getByRole("region", { name: "What changes" });
      await difference.waitFor();
      await isFine(walk, "a difference");
      await keys.to(difference);
      await keys.press("Escape");
      await dialog.waitFor({ state: "detached" });
      await keys.isOn(allow);
      await keys.press("Enter");
      await keys.enter(dialog.getByRole("button", { name: "Save" }));
      await page.getByText("Saved", { exact: true }).waitFor();
      expect(gateway.text()).not.toBe(before);
      await dialog.waitFor({ state: "detached" });
      await keys.isOn(allow);
      await undo(walk);
      expect(gateway.text()).toBe(before);
      await keys.isOn(allow);
      await keys.press("Escape");
      await sheet.waitFor({ state: "detached" });
      await keys.isOn(firstRow(page));
    },
  ],
  [
    "through the filters of the activity",
    "activity",
    async (walk) => {
      const { keys, page } = walk;
      await rows(page).first().waitFor();
      const filter = page.getByRole("combobox", { name: "Filter" });
      await keys.press("/");
      await keys.isOn(filter);
      await page.keyboard.type("warn");
      await page.getByRole("option", { name: "warning" }).first().waitFor();
      await keys.press("ArrowDown", "Enter");
      await page.waitForURL(/#\/activity\?status=warning$/);
      await keys.enter(page.getByRole("button", { name: "Remove Status: warning" }));
      await page.waitForURL(/#\/activity$/);
      // The element that had the focus is gone.
      await keys.isOn(filter);
      const time = page.getByRole("button", { name: /^Time: / });
      await keys.enter(time);
      await keys.enter(page.getByRole("button", { name: "Last hour" }));
      await page.waitForURL(/since=1h$/);
      await keys.isOn(time);
      const chart = page.getByRole("slider", { name: "Time range of calls" });
      await keys.to(chart);
      await keys.press("End", "Shift+ArrowLeft", "Shift+ArrowLeft");
      await expect.poll(() => chart.getAttribute("aria-valuetext")).toMatch(/\d \w+$/);
      await keys.press("Enter");
      await page.waitForURL(/since=20.*&until=20/);
      await keys.isOn(chart);
      const menu = page.getByRole("button", { name: "Export" });
      await keys.enter(menu, "Shift+Tab");
      const link = page.getByRole("menuitem", { name: "Copy the link to this view" });
      await keys.to(link, "ArrowDown");
      await keys.press("Enter");
      await page.getByText("Copied the link to this view").waitFor();
      await keys.isOn(menu);
      const address = await page.evaluate(() => navigator.clipboard.readText());
      expect(address).toBe(page.url());
      const cell = rows(page).first().getByRole("button", { name: "strict" });
      await keys.enter(cell);
      await page.waitForURL(/server=strict/);
      await keys.isOn(firstRow(page));
      await keys.enter(page.getByRole("button", { name: "Clear filters" }), "Shift+Tab");
      await page.waitForURL(/#\/activity$/);
      await keys.isOn(filter);
    },
  ],
  [
    "from a session to one of its calls",
    "overview",
    async (walk) => {
      const { keys, page } = walk;
      await goTo(walk, "Sessions");
      const list = page.getByRole("table", { name: "Sessions" });
      const links = list.locator("[data-row]");
      await links.first().waitFor();
      await isFine(walk, "the sessions");
      // Outside of the list, j moves the focus into it; the arrow keys stay in it.
      await keys.press("j");
      await keys.isOn(links.first());
      await keys.press("End");
      await keys.isOn(links.last());
      await keys.press("Home");
      await keys.press("k");
      await keys.isOn(links.first());
      const href = await links.first().getAttribute("href");
      await keys.press("Enter");
      const heading = page.getByRole("heading", { level: 1, name: / with / });
      await keys.isOn(heading);
      await page.locator("ol [data-row]").first().waitFor();
      await isFine(walk, "a session");
      await keys.press("j");
      await keys.isOn(page.locator("ol [data-row]").first());
      // Escape returns to the list, and to the row.
      await keys.press("Escape");
      await keys.isOn(list.locator(`a[href="${href}"]`));
      await keys.press("Escape");
      await keys.isOn(page.locator("#main"));
      await keys.press("j");
      await keys.press("Enter");
      await keys.isOn(heading);
      await keys.enter(page.getByRole("link", { name: /strict \/ get_weather/ }).first());
      await page.getByRole("dialog", { name: /^call: strict/ }).waitFor();
      const [, id = ""] = /activity\/(\w+)/.exec(page.url()) ?? [];
      await page.locator(`#record-${id}`).waitFor({ state: "attached" });
      await keys.press("Escape");
      await page.getByRole("dialog").waitFor({ state: "detached" });
      await keys.isOn(page.locator(`#record-${id}`));
    },
  ],
  [
    "from the rollout to rules that are written, and to one tool that is strict",
    "rollout",
    async (walk) => {
      const { keys, page, gateway } = walk;
      const before = gateway.text();
      const apply = page.getByRole("button", { name: "Apply these rules" });
      await keys.enter(apply);
      await signIn(walk);
      const dialog = page.getByRole("dialog", { name: "Apply these rules" });
      await dialog.getByText(/^\+.*"\/city": "warning"/).waitFor();
      await isFine(walk, "rules");
      await keys.press("Escape");
      await dialog.waitFor({ state: "detached" });
      await keys.isOn(apply);
      await keys.press("Enter");
      await keys.enter(dialog.getByRole("button", { name: "Save" }));
      await dialog.waitFor({ state: "detached" });
      await page.getByRole("status").filter({ hasText: "The current settings allow" }).waitFor();
      await undo(walk);
      expect(gateway.text()).toBe(before);
      const strict = page.getByRole("switch", { name: "echo of faulty strict" });
      await keys.to(strict);
      await keys.press("Space");
      await expect.poll(() => strict.isChecked()).toBe(true);
      await keys.isOn(strict);
      await undo(walk);
      await expect.poll(() => strict.isChecked()).toBe(false);
    },
  ],
  [
    "from the drift of a tool to a schema that fits",
    "overview",
    async (walk) => {
      const { keys, page } = walk;
      await goTo(walk, "Drift");
      await keys.enter(page.getByRole("link", { name: /get_weather/ }).first());
      await keys.isOn(page.getByRole("heading", { name: /get_weather/ }));
      await keys.to(
        page.getByRole("region", { name: "From the declared schema to one that fits" }),
      );
      await isFine(walk, "drift");
      const copy = page.getByRole("button", { name: "Copy schema" });
      await keys.enter(copy, "Shift+Tab");
      await page.getByText("Copied schema").waitFor();
      await keys.isOn(copy);
      const copied = await page.evaluate(() => navigator.clipboard.readText());
      expect(JSON.parse(copied)).toMatchObject({ type: "object" });
    },
  ],
  [
    "from a change of a definition to its approval, and back",
    "changes",
    async (walk) => {
      const { keys, page, gateway, look } = walk;
      const name = READS[look] ?? "";
      const state = async (): Promise<unknown> => (await gateway.get("pins?server=pinned")).body;
      await keys.enter(page.getByRole("link", { name: new RegExp(`pinned / ${name}`) }).first());
      await keys.isOn(page.getByRole("heading", { name: `pinned / ${name}` }));
      await keys.to(page.getByRole("region", { name: "Difference, line by line" }));
      await keys.enter(page.getByRole("link", { name: "Approvals" }), "Shift+Tab");
      const review = page.getByRole("link", { name: new RegExp(`^Review .*${name}.* of pinned$`) });
      await keys.enter(review.first());
      await keys.isOn(page.getByRole("heading", { name: new RegExp(`^pinned / .*${name}`) }));
      const approve = page.getByRole("button", { name: "Approve" });
      await keys.to(page.getByLabel("Reason"));
      await keys.write("looked at");
      await isFine(walk, "an approval");
      await keys.enter(approve);
      await signIn(walk);
      await page.getByText("Approved", { exact: true }).waitFor();
      const isApproved = expect.objectContaining({ name, state: "approved" });
      await expect.poll(state).toContainEqual(isApproved);
      await keys.enter(page.getByRole("button", { name: "Revoke" }));
      await page.getByText("Revoked", { exact: true }).waitFor();
      const isRevoked = expect.objectContaining({ name, state: "revoked" });
      await expect.poll(state).toContainEqual(isRevoked);
    },
  ],
  [
    "through the form that adds a server, and the one that changes it",
    "servers",
    async (walk) => {
      const { keys, page, gateway } = walk;
      const before = gateway.text();
      const add = page.getByRole("button", { name: "Add a server" });
      await keys.enter(add);
      await signIn(walk);
      const form = page.getByRole("dialog", { name: "Add a server" });
      await keys.press("Escape");
      await form.waitFor({ state: "detached" });
      await keys.isOn(add);
      await keys.press("Enter");
      const put = async (label: string, text: string): Promise<void> => {
        await keys.to(form.getByLabel(label, { exact: true }));
        await keys.write(text);
      };
      await put("Name", "added");
      await keys.to(form.getByRole("radio", { checked: true }));
      await keys.press("ArrowDown");
      await form.getByLabel("URL", { exact: true }).waitFor();
      await keys.press("ArrowUp");
      await put("Command", FAULTY.command);
      await put("Arguments", FAULTY.args.join("\n"));
      await keys.enter(form.getByRole("button", { name: "Add a variable" }));
      await keys.isOn(form.getByLabel("Name of variable 1"));
      await keys.write("MODE");
      await put("Value of variable 1", "a");
      await keys.press("Tab", "Enter");
      await keys.isOn(form.getByRole("button", { name: "Add a variable" }));
      await isFine(walk, "the form");
      await keys.enter(form.getByRole("button", { name: "Show the change" }));
      await form.getByText(/^\+.*"added"/).waitFor();
      await keys.enter(form.getByRole("button", { name: "Save" }));
      const heading = page.getByRole("heading", { name: "added" });
      await keys.isOn(heading);
      const added = gateway.text();
      const edit = page.getByRole("button", { name: "Edit" });
      await keys.enter(edit);
      const change = page.getByRole("dialog", { name: "Edit added" });
      await keys.to(change.getByLabel("Working directory"));
      await keys.write("/");
      await keys.press("Enter");
      await keys.enter(change.getByRole("button", { name: "Save" }));
      await change.waitFor({ state: "detached" });
      await keys.isOn(edit);
      await undo(walk);
      await expect.poll(() => gateway.text()).toBe(added);
      await undo(walk);
      await expect.poll(() => gateway.text()).toBe(before);
    },
  ],
  [
    "through a form with every kind of field, the editor, a call, and its history",
    "tools/pinned%3Abook",
    async (walk) => {
      const { keys, page } = walk;
      const at = (label: string): Locator => page.getByLabel(label, { exact: true });
      const put = async (label: string, text: string): Promise<void> => {
        await keys.to(at(label));
        await keys.write(text);
      };
      await keys.isOn(page.getByRole("heading", { name: "pinned:book" }));
      await at("guest").waitFor();
      await isFine(walk, "the form");
      await put("guest", "Ada");
      await put("nights", "2");
      await put("price", "99.50");
      await keys.to(at("room"));
      await keys.press("ArrowDown");
      await keys.to(page.getByRole("radiogroup", { name: "breakfast" }));
      await keys.press("ArrowUp");
      await keys.to(at("from"));
      await page.keyboard.type("01022027");
      await keys.to(at("api_key"));
      await keys.write("hidden");
      await keys.to(page.getByRole("checkbox", { name: "towels" }));
      await keys.press("Space");
      await keys.enter(page.getByRole("button", { name: /^Add .*mails/ }));
      await page.keyboard.insertText("a@b.example");
      await keys.enter(page.getByRole("button", { name: /labels/ }));
      await keys.to(page.getByRole("tab", { name: "Card" }));
      await keys.press("ArrowRight");
      await keys.to(page.getByLabel("note is null"));
      await keys.press("Space");
      await keys.to(page.getByRole("tab", { name: "Form" }), "Shift+Tab");
      await keys.press("ArrowRight");
      const editor = page.getByRole("textbox", { name: "Arguments as JSON" });
      await keys.to(editor);
      await expect.poll(() => editor.innerText()).toContain('"towels"');
      await page.keyboard.press("ControlOrMeta+a");
      await page.keyboard.insertText('{"guest":"Ada","nights":2,"room":"single","hold":true}');
      // Tab moves the focus out of the editor.
      await keys.to(page.getByRole("button", { name: "Execute", exact: true }));
      await keys.press("Enter");
      await keys.enter(page.getByRole("button", { name: "Cancel" }));
      await page.getByText("Canceled. The server was asked to stop.").waitFor();
      await keys.to(editor, "Shift+Tab");
      await page.keyboard.press("ControlOrMeta+a");
      await page.keyboard.insertText('{"guest":"Ada","nights":2,"room":"single"}');
      await keys.press("ControlOrMeta+Enter");
      await page.getByText("The tool ran").waitFor();
      const calls = page.getByRole("region", { name: "Your calls" });
      await keys.enter(calls.getByRole("button", { name: /^Repeat the call/ }).first());
      await expect.poll(() => calls.getByRole("listitem").count()).toBe(3);
      await keys.enter(calls.getByRole("button", { name: /^Edit the arguments/ }).last());
      await expect.poll(() => editor.innerText()).toContain('"hold"');
      await keys.enter(calls.getByRole("button", { name: "Clear" }), "Shift+Tab");
      await calls.waitFor({ state: "detached" });
    },
  ],
  [
    "through the settings that are changed often",
    "settings",
    async (walk) => {
      const { keys, page, gateway } = walk;
      const before = gateway.text();
      const drift = page.getByRole("switch", { name: "Watch results for drift" });
      await keys.to(drift);
      await isFine(walk, "the settings");
      await keys.press("Space");
      await signIn(walk);
      const dialog = page.getByRole("dialog", { name: /^(Watch results|Keep records)/ });
      await dialog.getByText(/^\+.*"drift": ?false/).waitFor();
      await isFine(walk, "a change");
      await keys.enter(dialog.getByRole("button", { name: "Save" }));
      await dialog.waitFor({ state: "detached" });
      await expect.poll(() => drift.isChecked()).toBe(false);
      await keys.isOn(drift);
      await undo(walk);
      await expect.poll(() => gateway.text()).toBe(before);
      const days = page.getByRole("textbox", { name: "Keep records for" });
      await keys.to(days);
      await keys.write("14");
      await keys.press("Enter");
      await dialog.getByText(/"retention_days": ?14/).waitFor();
      await keys.press("Escape");
      await dialog.waitFor({ state: "detached" });
      await keys.isOn(days);
      const form = page.getByRole("form", { name: "Modes of the gateway" });
      await keys.to(form.getByLabel("protocol"));
      await keys.press("ArrowDown");
      await keys.enter(form.getByRole("button", { name: "Save" }));
      await form.getByText(/^Saved to the configuration/).waitFor();
      await isFine(walk, "the modes");
      expect(gateway.text()).not.toBe(before);
      await keys.to(form.getByLabel("protocol"), "Shift+Tab");
      await keys.press("ArrowUp");
      await keys.enter(form.getByRole("button", { name: "Save" }));
      await expect.poll(() => JSON.parse(gateway.text())).toEqual(JSON.parse(before));
    },
  ],
  [
    "through the palette, the list of shortcuts, and what they lead to",
    "activity",
    async (walk) => {
      const { keys, page } = walk;
      await keys.enter(page.getByRole("link", { name: "Skip to content", exact: true }));
      await keys.isOn(page.getByRole("main"));
      await page.waitForURL(/#\/activity/);
      await keys.to(firstRow(page));
      for (const [key, name] of [
        ["ControlOrMeta+k", "Command palette"],
        ["?", "Keyboard shortcuts"],
      ] as const) {
        await keys.press(key);
        const dialog = page.getByRole("dialog", { name });
        await dialog.waitFor();
        await isFine(walk, name);
        await keys.press("Escape");
        await dialog.waitFor({ state: "detached" });
        await keys.isOn(firstRow(page));
      }
      await keys.press("ControlOrMeta+k");
      await page.keyboard.type("server faulty");
      await page.getByRole("option", { name: "faulty", exact: true }).waitFor();
      await keys.press("Enter");
      await keys.isOn(page.getByRole("heading", { name: "faulty" }));
      await keys.press("g", "o");
      await page.waitForURL(/#\/problems$/);
    },
  ],
  [
    "through the lists of each page with j, k, Enter and Escape",
    "problems",
    async (walk) => {
      const { keys, page } = walk;
      for (const hash of ["problems", "servers", "tools", "changes", "pins"]) {
        await page.goto(`${page.url().replace(/#.*/, "")}#/${hash}`);
        const rows = page.locator("main [data-list] [data-row]:visible");
        await expect.poll(() => rows.count(), { message: hash }).toBeGreaterThan(1);
        const heading = page.locator("main").locator("h1[tabindex], h2[tabindex]");
        // On a wide screen, the page opens the first tool.
        const isWide = (page.viewportSize()?.width ?? 0) >= 768;
        if (hash === "tools" && isWide) await keys.isOn(heading);
        await keys.press("j");
        await keys.isOn(rows.first());
        await keys.to(rows.first());
        await keys.press("j");
        await keys.isOn(rows.nth(1));
        await keys.press("k");
        await keys.isOn(rows.first());
        await keys.press("j");
        const href = (await rows.nth(1).getAttribute("href")) ?? "";
        await isFine(walk, hash);
        await keys.press("Enter");
        await expect.poll(() => page.evaluate(() => location.hash)).toBe(href);
        await keys.isOn(heading);
        await keys.press("Escape");
        const row = page.locator(`main [data-row][href="${href}"]`);
        await keys.isOn(row);
        await keys.to(row);
        await keys.press("Escape");
        await keys.isOn(page.locator("#main"));
      }
      await keys.press("?");
      const shortcuts = page.getByRole("dialog", { name: "Keyboard shortcuts" });
      for (const label of ["Next row of the list", "Previous row of the list", "Open the row"]) {
        await shortcuts.getByText(label, { exact: true }).waitFor();
      }
      await shortcuts.getByText("Leave the list, or go back to it", { exact: true }).waitFor();
    },
  ],
];

describeGatewayPages("with a keyboard alone", (console) => {
  const folder = mkdtempSync(join(tmpdir(), "touchstone-keyboard-"));
  const declared = join(folder, "pinned.json");
  const declare = (tools: readonly object[]): void =>
    writeFileSync(declared, JSON.stringify({ tools }));
  let gateway: ServedGateway;

  beforeAll(async () => {
    declare([BOOK, ...READS.map((name) => tool(name))]);
    gateway = await console.start(
      JSON.stringify({
        mcpServers: {
          faulty: FAULTY,
          strict: { ...FAULTY, touchstone: { input_validation: { mode: "strict" } } },
          pinned: {
            ...{ command: process.execPath, args: [SERVER], env: { DECLARED: declared } },
            touchstone: { pin: "strict", lock: "first_use" },
          },
        },
        http: { allow_execute: true },
        activity: { bodies: true, drift: true },
      }),
    );
    const url = gateway.url("pinned");
    const headers = await initialize(url);
    await post(url, request(1, "tools/list"), headers);
    await post(url, request(2, "tools/call", { name: "read-0", arguments: {} }), headers);
    const changed = { type: "object", required: ["city"], properties: { city: {} } };
    declare([BOOK, ...READS.map((name) => tool(name, { inputSchema: changed }))]);
    await post(url, request(3, "tools/list"), headers);
    const berlin = ["get_weather", { city: "Berlin" }] as const;
    await callTools(gateway, "faulty", [["get_weather", { city: 1 }], berlin, ["echo", {}]]);
    await callTools(gateway, "strict", [["get_weather", { city: 1 }], berlin]);
  }, 60_000);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const looks = LOOKS.map((each, look) => [...each, look] as const);
  for (const [index, [name, start, take]] of WALKS.entries()) {
    // Each walk takes seconds: `full:tests` runs it at all sizes, other runs at either the smallest or the largest
    // size.
    const some = looks.slice(index % 2, (index % 2) + 1);
    it.each(sample(some, some, looks))(
      `a user without a mouse goes ${name}, %s at %i by %i`,
      { timeout: 60_000, ...long },
      async (colorScheme, width, height, look) => {
        const { page, found } = await console.open(`${gateway.page}#/${start}`, {
          ...{ colorScheme, viewport: { width, height } },
          permissions: ["clipboard-read", "clipboard-write"],
        });
        await take({ keys: new Keyboard(page), page, gateway, look });
        // The browser itself logs that a token was required, and that a server whose addition was undone no longer
        // exists.
        expect(found.filter((line) => !/status of 40[14]/.test(line))).toEqual([]);
      },
    );
  }
});

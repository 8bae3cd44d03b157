import { mkdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { ToolCallHandler, ToolsProvider, UIConfig } from "@touchstone/http";
import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll, describe, onTestFinished } from "vitest";
import { chromiumPath, launchChromium, troubles } from "./browser.ts";
import { buildPage, type Served, serve } from "./serve.ts";

const path = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
/** Next to the build output, which is not in the repository. */
const SCREENSHOTS: string = path("../../dist/screenshots/");

/** A page of the console in a browser. */
export interface OpenPage {
  readonly page: Page;
  /** What has gone wrong in the page so far: errors, warnings, violations of its policy. */
  readonly found: readonly string[];
}

/** The console, served to a browser. */
export interface Console {
  serve(tools: ToolsProvider, call: ToolCallHandler, options?: UIConfig): Promise<Served>;
  /** For the running test. */
  open(url: string, options?: BrowserContextOptions): Promise<OpenPage>;
  /** For all tests of a file, from their `beforeAll` on. */
  openForAll(url: string): Promise<OpenPage>;
}

let built: ReturnType<typeof buildPage> | undefined;

/** Builds the console as it is published, once for all files of tests that one process runs. */
export function buildConsole(): ReturnType<typeof buildPage> {
  built ??= buildPage(path("../main.tsx"), { root: path("../..") });
  return built;
}

/** Opens a page in a separate tab, which is closed with its context. */
async function openTab(context: BrowserContext, url: string): Promise<OpenPage> {
  const page = await context.newPage();
  page.setDefaultTimeout(20_000);
  const found = await troubles(page);
  await page.goto(url);
  return { page, found };
}

/**
 * Opens a page in a separate tab for the running test: a tab that stays open would continue to send requests and to
 * render.
 */
export async function openPage(context: BrowserContext, url: string): Promise<OpenPage> {
  const opened = await openTab(context, url);
  const { page } = opened;
  onTestFinished(async () => {
    if (page.isClosed()) return;
    await page.unrouteAll({ behavior: "ignoreErrors" });
    await page.close();
  });
  return opened;
}

let browser: Promise<Browser> | undefined;

/** A browser that all files of tests of one process share. Playwright ends it with the process. */
export function sharedBrowser(chromium: string): Promise<Browser> {
  browser ??= launchChromium(chromium);
  return browser;
}

/** Opens a page in a separate context, for the running test. */
export async function openApart(
  opened: Browser,
  url: string,
  options: BrowserContextOptions = {},
): Promise<OpenPage> {
  const context = await opened.newContext(options);
  onTestFinished(() => context.close());
  return openPage(context, url);
}

/** Builds the console, and opens its pages in the shared browser. */
async function startConsole(chromium: string): Promise<Console & { close(): Promise<void> }> {
  const [assets, opened] = await Promise.all([buildConsole(), sharedBrowser(chromium)]);
  const servers: Served[] = [];
  // One context for all tests without special needs: it keeps what it has loaded once.
  const shared = await opened.newContext();
  let holdsProcess = false;
  /** Keeps a tab open, and with it the process that the tabs of tests share. */
  const hold = async (url: string): Promise<void> => {
    if (holdsProcess) return;
    holdsProcess = true;
    await (await shared.newPage()).goto(new URL("/", url).href);
  };
  return {
    async serve(tools, call, options = {}) {
      const served = await serve(tools, call, { console: assets, ...options });
      servers.push(served);
      return served;
    },
    async open(url, options) {
      if (options !== undefined) return openApart(opened, url, options);
      await hold(url);
      return openPage(shared, url);
    },
    openForAll: (url) => openTab(shared, url),
    async close() {
      await shared.close();
      for (const served of servers) await served.close();
    },
  };
}

/**
 * Tests of the page, skipped where there is no Chromium. Tests can use what they are given from their own `beforeAll`
 * on.
 */
export function describePages(title: string, tests: (console: Console) => void): void {
  const chromium = chromiumPath();
  describe.skipIf(chromium === undefined)(title, () => {
    let started: ReturnType<typeof startConsole>;
    beforeAll(async () => {
      started = startConsole(chromium ?? "");
      await started;
    }, 60_000);
    afterAll(async () => (await started).close());
    tests({
      serve: async (...parts) => (await started).serve(...parts),
      open: async (url, options) => (await started).open(url, options),
      openForAll: async (url) => (await started).openForAll(url),
    });
  });
}

/** Signs in with a key, where the page asks for one or with the button at its bottom left. */
export async function signIn(page: Page, key: string): Promise<void> {
  const button = page.getByRole("button", { name: "Sign in", exact: true });
  await button.first().waitFor();
  if (!(await page.getByLabel("Key", { exact: true }).isVisible())) await button.click();
  await enterKey(page, key);
}

/** Signs in with a key, once the page shows the field for it. */
export async function enterKey(page: Page, key: string): Promise<void> {
  const field = page.getByLabel("Key", { exact: true });
  await field.fill(key);
  await field.press("Enter");
  await field.waitFor({ state: "detached" });
}

/** Keeps a picture of a page for people to look at, with `TOUCHSTONE_SCREENSHOTS=1`. */
export async function screenshot(page: Page, name: string): Promise<void> {
  if (process.env["TOUCHSTONE_SCREENSHOTS"] !== "1") return;
  mkdirSync(SCREENSHOTS, { recursive: true });
  await page.screenshot({ path: `${SCREENSHOTS}${name}.png`, fullPage: true });
}

import { mkdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { ToolCallHandler, ToolsProvider, UIConfig } from "@touchstone/http";
import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll, describe } from "vitest";
import { chromiumPath, launchChromium, troubles } from "./browser.ts";
import { buildPage, type Served, serve } from "./serve.ts";

const path = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
/** Beside what is built, which is not kept in the repository. */
const SCREENSHOTS: string = path("../../dist/screenshots/");

/** A page of the console in a browser. */
export interface OpenPage {
  readonly page: Page;
  /** What went wrong in it so far: errors, warnings, violations of its policy. */
  readonly found: readonly string[];
}

/** The console, served to a browser. */
export interface Console {
  serve(tools: ToolsProvider, call: ToolCallHandler, options?: UIConfig): Promise<Served>;
  open(url: string, options?: BrowserContextOptions): Promise<OpenPage>;
}

let built: ReturnType<typeof buildPage> | undefined;

/** Builds the console as it is published, once for all files of tests that one process runs. */
export function buildConsole(): ReturnType<typeof buildPage> {
  built ??= buildPage(path("../main.tsx"), { root: path("../..") });
  return built;
}

/** Opens a page in a tab of its own. */
export async function openPage(context: BrowserContext, url: string): Promise<OpenPage> {
  const page = await context.newPage();
  page.setDefaultTimeout(20_000);
  const found = await troubles(page);
  await page.goto(url);
  return { page, found };
}

let browser: Promise<Browser> | undefined;

/** Builds the console, and opens its pages in a browser, which all files of tests of one process share. */
async function startConsole(chromium: string): Promise<Console & { close(): Promise<void> }> {
  // Playwright ends it with the process.
  browser ??= launchChromium(chromium);
  const [assets, opened] = await Promise.all([buildConsole(), browser]);
  const servers: Served[] = [];
  const contexts: BrowserContext[] = [];
  const context = async (options?: BrowserContextOptions) => {
    const made = await opened.newContext(options);
    contexts.push(made);
    return made;
  };
  // One for all who want nothing special: what it has loaded once, it keeps.
  const shared = await context();
  return {
    async serve(tools, call, options = {}) {
      const served = await serve(tools, call, { console: assets, ...options });
      servers.push(served);
      return served;
    },
    async open(url, options) {
      return openPage(options === undefined ? shared : await context(options), url);
    },
    async close() {
      for (const open of contexts) await open.close();
      for (const served of servers) await served.close();
    },
  };
}

/**
 * Tests of the page, skipped where there is no Chromium. What they are given can be used from their own
 * `beforeAll` on.
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
    });
  });
}

/** Enters a token: its field is shown once one is needed, or wanted. */
export async function enterToken(page: Page, token: string): Promise<void> {
  const field = page.getByLabel("Token", { exact: true });
  if (!(await field.isVisible())) {
    await page.getByRole("button", { name: "Token", exact: true }).click();
  }
  await field.fill(token);
}

/** Keeps a picture of a page, for people to look at. */
export async function screenshot(page: Page, name: string): Promise<void> {
  mkdirSync(SCREENSHOTS, { recursive: true });
  await page.screenshot({ path: `${SCREENSHOTS}${name}.png`, fullPage: true });
}

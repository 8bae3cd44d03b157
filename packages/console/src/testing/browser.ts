import { existsSync } from "node:fs";
import { type Browser, chromium, type Page } from "playwright-core";

const PATHS: readonly string[] = [
  process.env["TOUCHSTONE_CHROMIUM"] ?? "",
  // The same engine without a window and without its own pages: it opens a page in half the time.
  "/usr/bin/chromium-headless-shell",
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];

/**
 * Returns the path of a Chromium, or undefined, so that a test can skip visibly.
 * @throws if there is no Chromium and the environment has `REQUIRE_ALL=1`
 */
export function chromiumPath(): string | undefined {
  const path = [...PATHS, chromium.executablePath()].find((at) => at !== "" && existsSync(at));
  if (path === undefined && process.env["REQUIRE_ALL"] === "1") {
    throw new Error(
      "REQUIRE_ALL=1, but there is no Chromium; install one, or set TOUCHSTONE_CHROMIUM to its path",
    );
  }
  return path;
}

/** Starts a headless Chromium that sends no requests to the outside. */
export function launchChromium(executablePath: string): Promise<Browser> {
  // Chromium's own sandbox refuses to start for root.
  const root = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
  const quiet = ["--disable-background-networking", "--disable-component-update", "--disable-sync"];
  // Tabs of one context share a process, which then compiles the page's code only once.
  const shared = ["--disable-gpu", "--renderer-process-limit=1"];
  return chromium.launch({ executablePath, args: [...root, ...quiet, ...shared] });
}

/** Collects what goes wrong in a page from now on: errors, and violations of the policy. */
export async function troubles(page: Page): Promise<readonly string[]> {
  const found: string[] = [];
  page.on("pageerror", (error) => found.push(`error: ${error.message}`));
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) found.push(`console: ${message.text()}`);
  });
  page.on("requestfailed", (request) => {
    // Leaving a part of the page cancels its requests.
    if (request.failure()?.errorText === "net::ERR_ABORTED") return;
    found.push(`failed: ${request.url()}`);
  });
  await page.exposeFunction("reportViolation", (text: string) => found.push(`policy: ${text}`));
  await page.addInitScript(() => {
    document.addEventListener("securitypolicyviolation", (event) => {
      const report: unknown = Reflect.get(globalThis, "reportViolation");
      if (typeof report === "function") report(`${event.violatedDirective} ${event.blockedURI}`);
    });
  });
  return found;
}

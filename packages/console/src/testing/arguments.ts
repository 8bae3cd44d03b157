import type { Page } from "playwright-core";
import type { Console, OpenPage } from "./console.ts";

/** Opens a tool whose input schema has exactly this text: JavaScript cannot represent all of its numbers. */
export async function openSchema(
  console: Console,
  url: string,
  name: string,
  schema: string,
): Promise<OpenPage> {
  const opened = await console.open(url);
  await opened.page.route(`**/tools/${name}`, (route) =>
    route.fulfill({
      contentType: "application/json",
      body: `{"name":"${name}","description":"","inputSchema":${schema}}`,
    }),
  );
  await opened.page.goto(`${url}#/tools/${name}`);
  return opened;
}

/** Writes the arguments as JSON, and goes back to the form. */
export async function writeArguments(page: Page, text: string): Promise<void> {
  await page.getByRole("tab", { name: "JSON" }).click();
  await page.getByRole("textbox", { name: "Arguments as JSON" }).fill(text);
  await page.getByRole("tab", { name: "Form" }).click();
}

/** The arguments as they would be sent, on one line. */
export async function sentArguments(page: Page): Promise<string> {
  const command = await page.locator('[aria-label="cURL command"]').textContent();
  const [, body = ""] = /--data-raw '(.*)'/s.exec(command ?? "") ?? [];
  return body.replace(/\n\s*/g, "");
}

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { AxeResults, RunOptions } from "axe-core";
import type { Page } from "playwright-core";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

declare const axe: { run(options: RunOptions): Promise<AxeResults> };

/** What axe finds in a page, in a line each. */
export async function findings(page: Page): Promise<readonly string[]> {
  await page.evaluate(AXE);
  return page.evaluate(async () => {
    const { violations } = await axe.run({});
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, target, failureSummary }) => `${id} ${target} ${html} ${failureSummary}`),
    );
  });
}

/** How far a page reaches beyond its own width. */
export function overflow(page: Page): Promise<number> {
  return page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
}

/** The selects that are narrower than what they say, as their texts. */
export function cutSelects(page: Page): Promise<readonly string[]> {
  return page.evaluate(() =>
    [...document.querySelectorAll("select")].flatMap((select) => {
      const wide = select.cloneNode(true) as HTMLSelectElement;
      wide.style.cssText = "position: absolute; width: max-content; max-width: none";
      select.after(wide);
      const wanted = wide.offsetWidth;
      wide.remove();
      return wanted > select.offsetWidth ? [`${select.selectedOptions[0]?.text} ${wanted}`] : [];
    }),
  );
}

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
    // Colors in the middle of a transition belong to no state; an endless animation never finishes.
    const ending = document
      .getAnimations()
      .filter(({ effect }) => effect?.getComputedTiming().endTime !== Number.POSITIVE_INFINITY);
    await Promise.allSettled(ending.map(({ finished }) => finished));
    const { violations } = await axe.run({});
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, target, failureSummary }) => `${id} ${target} ${html} ${failureSummary}`),
    );
  });
}

/** How much of what a page shows has moved by itself (https://web.dev/articles/cls), since it was opened. */
export function layoutShift(page: Page): Promise<number> {
  return page.evaluate(
    () =>
      new Promise((resolve) => {
        let [most, sum, first, last] = [0, 0, Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY];
        const observer = new PerformanceObserver((list) => {
          for (const entry of list.getEntries()) {
            const { value, hadRecentInput, startTime } = entry as PerformanceEntry & {
              readonly value: number;
              readonly hadRecentInput: boolean;
            };
            if (hadRecentInput) continue;
            // What moves within a second of the last, for at most five, is seen as one.
            const isOne = startTime - last < 1_000 && startTime - first < 5_000;
            sum = isOne ? sum + value : value;
            if (!isOne) first = startTime;
            last = startTime;
            most = Math.max(most, sum);
          }
        });
        observer.observe({ type: "layout-shift", buffered: true });
        // What is buffered is reported before the next frame but one.
        requestAnimationFrame(() => requestAnimationFrame(() => resolve(most)));
      }),
  );
}

/**
 * What has moved by itself since a page was opened, if it was too much to be called good (0.05 of what
 * {@link layoutShift} returns): the beginning of each part's HTML. Empty if it was not.
 */
export async function moved(page: Page): Promise<readonly string[]> {
  if ((await layoutShift(page)) <= 0.05) return [];
  return page.evaluate(
    () =>
      new Promise((resolve) => {
        const parts: string[] = [];
        new PerformanceObserver((list) => {
          for (const entry of list.getEntries()) {
            const { value, sources } = entry as PerformanceEntry & {
              readonly value: number;
              readonly sources: readonly { readonly node: Node | null }[];
            };
            for (const { node } of sources) {
              const html = node instanceof Element ? node.outerHTML : (node?.textContent ?? "gone");
              parts.push(`${value.toFixed(3)} ${html.slice(0, 160)}`);
            }
          }
        }).observe({ type: "layout-shift", buffered: true });
        requestAnimationFrame(() => requestAnimationFrame(() => resolve(parts)));
      }),
  );
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

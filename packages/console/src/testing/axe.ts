import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { AxeResults, RunOptions } from "axe-core";
import type { Page } from "playwright-core";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

declare const axe: { run(options: RunOptions): Promise<AxeResults> };

/** Returns what axe finds in a page, one line for each finding. */
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

/** Returns how much of a page has moved by itself (https://web.dev/articles/cls) since it was opened. */
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
            // Shifts within a second of the last one, for at most five seconds, count as one.
            const isOne = startTime - last < 1_000 && startTime - first < 5_000;
            sum = isOne ? sum + value : value;
            if (!isOne) first = startTime;
            last = startTime;
            most = Math.max(most, sum);
          }
        });
        observer.observe({ type: "layout-shift", buffered: true });
        // Buffered entries are reported before the frame after next.
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

/** Returns how far a page extends beyond its own width. */
export function overflow(page: Page): Promise<number> {
  return page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
}

/** Returns the texts of selects that are too narrow for them. */
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

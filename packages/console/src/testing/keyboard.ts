import type { Locator, Page } from "playwright-core";
import { expect } from "vitest";

/** Number of presses of Tab after which a test gives up: there is no way to the element, or the focus is trapped. */
const MOST = 250;

/**
 * Returns what is wrong with the focused element for a user who sees the page: it is not marked, out of sight, or
 * covered. Empty if nothing is wrong. Runs in the page.
 */
function troubleOf(target: Element): { readonly isThere: boolean; readonly trouble: string } {
  let active = document.activeElement;
  while (active?.shadowRoot?.activeElement) active = active.shadowRoot.activeElement;
  if (active === null || active === document.body) return { isThere: false, trouble: "" };
  const isThere = active === target || target.contains(active);
  const name = active.outerHTML.replace(/ class="[^"]*"/, "").slice(0, 300);
  // These elements pass the focus on.
  if (active.hasAttribute("data-base-ui-focus-guard")) return { isThere, trouble: "" };
  // A hidden radio button is marked by its label.
  const parts = [active, active.closest("label"), ...active.querySelectorAll("*")];
  const isMarked = parts.some((part) => {
    if (part === null) return false;
    // An option in a list has a separate color.
    if (part.hasAttribute("data-highlighted")) return true;
    return ["", "::after"].some((pseudo) => {
      const { outlineStyle, outlineWidth } = getComputedStyle(part, pseudo);
      return outlineStyle !== "none" && Number.parseFloat(outlineWidth) > 0;
    });
  });
  // An editor has a caret, a heading that was opened is read out, and in a date field the browser marks the part.
  const isOwn = active.matches(
    '[tabindex="-1"], [type="date"], [type="time"], [type="datetime-local"]',
  );
  const needsMark = !(active as HTMLElement).isContentEditable && !isOwn;
  if (needsMark && !isMarked) return { isThere, trouble: `${name}: the focus is not seen` };
  // Marked by its label, or by a frame around the area for the mouse.
  const isFrame = getComputedStyle(active).pointerEvents === "none";
  const seen = active.closest("label") ?? (isFrame ? active.parentElement : null) ?? active;
  const { left, right, top, bottom } = seen.getBoundingClientRect();
  const [x, y] = [
    (Math.max(0, left) + Math.min(innerWidth, right)) / 2,
    (Math.max(0, top) + Math.min(innerHeight, bottom)) / 2,
  ];
  if (right <= 0 || bottom <= 0 || left >= innerWidth || top >= innerHeight) {
    return { isThere, trouble: `${name}: out of sight` };
  }
  const points = [0.02, 0.5, 0.98].flatMap((across) =>
    [0.1, 0.5, 0.9].map((down) => [left + (right - left) * across, top + (bottom - top) * down]),
  );
  const isOnTop = [...points, [x, y]].some(([px = 0, py = 0]) => {
    const hit = (seen.getRootNode() as Document | ShadowRoot).elementFromPoint(px, py);
    return hit !== null && (seen.contains(hit) || hit.contains(seen));
  });
  return { isThere, trouble: isOnTop ? "" : `${name}: covered` };
}

/**
 * A user without a mouse. Everything is reached with keys alone, and wherever the focus stops on the way, it has to
 * be visible.
 */
export class Keyboard {
  readonly page: Page;

  constructor(page: Page) {
    this.page = page;
  }

  /** Presses keys, one after the other. */
  async press(...keys: readonly string[]): Promise<void> {
    for (const key of keys) await this.page.keyboard.press(key);
  }

  /** Replaces the text where the focus is. */
  async write(text: string): Promise<void> {
    await this.press("ControlOrMeta+a");
    await this.page.keyboard.insertText(text);
  }

  /**
   * Presses a key until an element, or something in it, has the focus.
   * @throws if it is not reached, or if the focus is not visible at a stop on the way
   */
  async to(target: Locator, key = "Tab"): Promise<void> {
    await target.waitFor({ state: "attached" });
    for (let presses = 0; presses < MOST; presses++) {
      const { isThere, trouble } = await target.evaluate(troubleOf);
      expect([String(target), trouble]).toEqual([String(target), ""]);
      if (isThere) return;
      await this.press(key);
    }
    throw new Error(`${MOST} presses of ${key} do not lead to ${target}`);
  }

  /** Goes to a button or a link, and presses Enter. */
  async enter(target: Locator, key?: string): Promise<void> {
    await this.to(target, key);
    await this.press("Enter");
  }

  /** Returns whether the focus is where it is expected, at the latest once everything is rendered. */
  async isOn(target: Locator): Promise<void> {
    const focused = (): Promise<string> =>
      target.evaluate((each) => {
        const { activeElement } = document;
        return each === activeElement ? "" : (activeElement?.outerHTML.slice(0, 300) ?? "nothing");
      });
    await expect.poll(focused, { message: `has the focus, and not ${target}` }).toBe("");
  }
}

/** The colour of a custom property, as a canvas takes it. */
export function colorOf(element: HTMLElement, property: string): string {
  const probe = document.createElement("span");
  probe.style.color = `var(${property})`;
  element.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

const dark = matchMedia("(prefers-color-scheme: dark)");

/** Calls back when the page has become light or dark: a canvas has to be drawn again. */
export function onThemeChange(changed: () => void): () => void {
  const observer = new MutationObserver(changed);
  observer.observe(document.documentElement, { attributeFilter: ["data-theme"] });
  dark.addEventListener("change", changed);
  return () => {
    observer.disconnect();
    dark.removeEventListener("change", changed);
  };
}

/** A name for how the page looks now. */
export function themeNow(): string {
  return `${document.documentElement.dataset["theme"]} ${dark.matches}`;
}

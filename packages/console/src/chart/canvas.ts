/** Returns the color of a custom property in a form that a canvas accepts. */
export function colorOf(element: HTMLElement, property: string): string {
  const probe = document.createElement("span");
  probe.style.color = `var(${property})`;
  element.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

const dark = matchMedia("(prefers-color-scheme: dark)");

/** Calls back when the page switches between light and dark: canvases must then be redrawn. */
export function onThemeChange(changed: () => void): () => void {
  const observer = new MutationObserver(changed);
  observer.observe(document.documentElement, { attributeFilter: ["data-theme"] });
  dark.addEventListener("change", changed);
  return () => {
    observer.disconnect();
    dark.removeEventListener("change", changed);
  };
}

/** Returns a name for the page's current appearance. */
export function currentTheme(): string {
  return `${document.documentElement.dataset["theme"]} ${dark.matches}`;
}

import { type LucideIcon, Monitor, Moon, Sun } from "lucide-react";
import { type ReactElement, useSyncExternalStore } from "react";
import { cx } from "../ui/classes.ts";

const THEMES = ["system", "light", "dark"] as const;
type Theme = (typeof THEMES)[number];

const LOOKS: Readonly<Record<Theme, readonly [label: string, icon: LucideIcon]>> = {
  system: ["As the system", Monitor],
  light: ["Light", Sun],
  dark: ["Dark", Moon],
};

/** Key under which the browser stores the choice. */
const KEY = "touchstone-theme";
const listeners = new Set<() => void>();

/** Returns the theme chosen earlier. A browser may forbid storage. */
function keptTheme(): Theme {
  try {
    const kept = localStorage.getItem(KEY);
    return THEMES.find((theme) => theme === kept) ?? "system";
  } catch {
    return "system";
  }
}

let current: Theme = keptTheme();
document.documentElement.dataset["theme"] = current;

/** Switches the page to dark, light or the system's theme, and remembers the choice in this browser. */
export function chooseTheme(theme: Theme): void {
  current = theme;
  document.documentElement.dataset["theme"] = theme;
  try {
    if (theme === "system") localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, theme);
  } catch {
    // The choice then lasts as long as the page is open.
  }
  for (const changed of listeners) changed();
}

function subscribe(changed: () => void): () => void {
  listeners.add(changed);
  return () => listeners.delete(changed);
}

/** Lets the user choose between dark and light. */
export function ThemeChoice(): ReactElement {
  const chosen = useSyncExternalStore(subscribe, () => current);
  return (
    <fieldset className="flex rounded-md border border-line p-0.5">
      <legend className="sr-only">Theme</legend>
      {THEMES.map((theme) => {
        const [label, Icon] = LOOKS[theme];
        return (
          <label
            key={theme}
            title={label}
            className={cx(
              "flex h-6 flex-1 items-center justify-center rounded px-2 text-faint hover:text-text",
              "has-[:focus-visible]:outline-2 has-[:focus-visible]:outline-accent",
              theme === chosen && "bg-hover text-text",
            )}
          >
            <input
              type="radio"
              name="theme"
              className="sr-only"
              aria-label={label}
              checked={theme === chosen}
              onChange={() => chooseTheme(theme)}
            />
            <Icon className="size-4" aria-hidden="true" />
          </label>
        );
      })}
    </fieldset>
  );
}

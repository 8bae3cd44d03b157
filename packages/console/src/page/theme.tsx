import { type ReactElement, useLayoutEffect, useState } from "react";

const THEMES = ["system", "light", "dark"] as const;
type Theme = (typeof THEMES)[number];

/** Below which the browser keeps the choice. */
const KEY = "touchstone-theme";

/** The theme that was chosen before. A browser may forbid to keep anything. */
function keptTheme(): Theme {
  try {
    const kept = localStorage.getItem(KEY);
    return THEMES.find((theme) => theme === kept) ?? "system";
  } catch {
    return "system";
  }
}

function keepTheme(theme: Theme): void {
  try {
    if (theme === "system") localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, theme);
  } catch {
    // Then it holds for as long as the page is open.
  }
}

/** Chooses between dark and light, for this browser; by default as the system has it. */
export function ThemeChoice(): ReactElement {
  const [theme, setTheme] = useState(keptTheme);
  useLayoutEffect(() => {
    document.documentElement.dataset["theme"] = theme;
  }, [theme]);
  const choose = (name: string): void => {
    const chosen = THEMES.find((each) => each === name) ?? "system";
    keepTheme(chosen);
    setTheme(chosen);
  };
  return (
    <label>
      Theme{" "}
      <select value={theme} onChange={(event) => choose(event.target.value)}>
        {THEMES.map((name) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}

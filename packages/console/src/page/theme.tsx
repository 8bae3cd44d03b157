import { type ReactElement, useEffect, useState } from "react";

const THEMES = ["system", "light", "dark"] as const;

/** Chooses between dark and light; by default as the system has it. */
export function ThemeChoice(): ReactElement {
  const [theme, setTheme] = useState<string>("system");
  useEffect(() => {
    document.documentElement.dataset["theme"] = theme;
  }, [theme]);
  return (
    <label>
      Theme{" "}
      <select value={theme} onChange={(event) => setTheme(event.target.value)}>
        {THEMES.map((name) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}

import { arrayItems } from "./place-rules.ts";
import type { Provider } from "./provider.ts";

/**
 * VS Code's agent mode, which judges tools before it offers them. Its own words: "tool parameters
 * array type must have items". Beyond 128 tools it groups them, and a model may miss one.
 */
export const VSCODE: Provider = {
  name: "vscode",
  title: "VS Code",
  places: { "array-items": arrayItems },
  limits: { tools: 128 },
};

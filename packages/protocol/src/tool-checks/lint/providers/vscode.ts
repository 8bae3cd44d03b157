import { arrayItems } from "./place-rules.ts";
import type { Provider } from "./provider.ts";

/**
 * VS Code's agent mode, which checks tools before it offers them. Its own words: "tool parameters array type must
 * have items". A request has 128 tools at most (https://code.visualstudio.com/docs/agents/agent-tools). Beyond that,
 * VS Code groups tools if grouping is turned on, and a model may miss one.
 */
export const VSCODE: Provider = {
  name: "vscode",
  title: "VS Code",
  places: { "array-items": arrayItems },
  limits: { tools: 128 },
};

import { ANTHROPIC } from "./anthropic.ts";
import { GEMINI } from "./gemini.ts";
import { OPENAI } from "./openai.ts";
import { OPENAI_STRICT } from "./openai-strict.ts";
import type { Provider, ProviderName } from "./provider.ts";
import { VSCODE } from "./vscode.ts";

/** What each provider takes. */
export const PROVIDER_TABLE: Readonly<Record<ProviderName, Provider>> = {
  openai: OPENAI,
  "openai-strict": OPENAI_STRICT,
  anthropic: ANTHROPIC,
  gemini: GEMINI,
  vscode: VSCODE,
};

import { quote } from "@touchstone/core/advanced";
import { ANTHROPIC } from "./anthropic.ts";
import { BEDROCK, NOVA } from "./bedrock.ts";
import { GEMINI, GEMINI_OPENAPI } from "./gemini.ts";
import { LLAMA_CPP } from "./llama-cpp.ts";
import { MOONSHOT } from "./moonshot.ts";
import { OPENAI } from "./openai.ts";
import { OPENAI_STRICT } from "./openai-strict.ts";
import { PROVIDERS, type Provider, type ProviderName } from "./provider.ts";
import { VSCODE } from "./vscode.ts";

/** What each provider accepts. */
const PROVIDER_TABLE: Readonly<Record<ProviderName, Provider>> = {
  openai: OPENAI,
  "openai-strict": OPENAI_STRICT,
  anthropic: ANTHROPIC,
  bedrock: BEDROCK,
  nova: NOVA,
  gemini: GEMINI,
  "gemini-openapi": GEMINI_OPENAPI,
  moonshot: MOONSHOT,
  "llama-cpp": LLAMA_CPP,
  vscode: VSCODE,
};

/**
 * Returns what each of the given providers accepts.
 * @throws TypeError for something that is not a list, or a name that is not in {@link PROVIDERS}: an untyped caller
 *   may pass either
 */
export function providersOf(names: readonly ProviderName[]): readonly Provider[] {
  if (Array.isArray(names)) return names.map(providerOf);
  throw new TypeError(`the providers are not a list; give an array of "${PROVIDERS.join('", "')}"`);
}

function providerOf(name: ProviderName): Provider {
  if (Object.hasOwn(PROVIDER_TABLE, name)) return PROVIDER_TABLE[name];
  const given = typeof name === "string" ? quote(name) : `of type ${typeof name}`;
  throw new TypeError(
    `the provider ${given} is not known; name one of "${PROVIDERS.join('", "')}"`,
  );
}

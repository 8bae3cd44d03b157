import type { ProviderName } from "../lint/providers/provider.ts";

/** A client that is recognized by the name in its `clientInfo`. */
export interface KnownClient {
  /** Its name in messages. */
  readonly title: string;
  /** `clientInfo.name` as sent, in lower case. */
  readonly names: readonly string[];
  /**
   * The names of the providers whose rules apply to tools in this client: the client itself, and the models to which it
   * sends tools.
   */
  readonly takers: readonly ProviderName[];
}

/** Clients with known rules. */
export const CLIENT_NAMES = [
  "claude-code",
  "claude-desktop",
  "codex",
  "chatgpt",
  "gemini-cli",
  "vscode",
  "q-developer",
  "cursor",
  "windsurf",
  "copilot-cli",
  "cline",
  "roo-code",
  "opencode",
  "goose",
  "zed",
  "librechat",
] as const;
/** A client of {@link CLIENTS}. */
export type ClientName = (typeof CLIENT_NAMES)[number];

/**
 * Clients that let their users choose among the models of several providers. It is unknown in which form they send tools
 * to Gemini, so only what both forms refuse counts.
 */
const ANY_MODEL: readonly ProviderName[] = ["anthropic", "openai", "gemini"];
/**
 * The same, for clients whose requests were refused because of MCP tools in Gemini's OpenAPI form: GitHub Copilot CLI for
 * a list of types (https://github.com/github/copilot-cli/issues/4623 of 2026-08-26) and for numbers in an `enum`
 * (https://github.com/github/copilot-cli/issues/4835 of 2026-09-14), Cline for an undeclared property in `required`
 * (https://github.com/cline/cline/issues/11162 of 2026-05-31, 3.86.0), opencode for `items` beside `anyOf`
 * (https://github.com/sbroenne/mcp-server-excel/issues/672 of 2026-06-10), Zed for `const`
 * (https://github.com/zed-industries/zed/issues/45552 of 2025-12-23), LibreChat for `$schema` and `exclusiveMinimum`
 * (https://github.com/danny-avila/LibreChat/issues/13845 of 2026-06-19).
 */
const ANY_MODEL_OPENAPI: readonly ProviderName[] = ["anthropic", "openai", "gemini-openapi"];

/**
 * Clients, each with the providers whose rules apply to its tools. Names as the clients send them are collected in
 * https://github.com/apify/mcp-client-capabilities (`mcp-clients.json`); rules are in the tables of `providers/`, with
 * their sources. VS Code adapts schemas to models itself before it sends them
 * (https://github.com/microsoft/vscode-copilot-chat, `toolSchemaNormalizer.ts`), so only its own rules count.
 */
export const CLIENTS: Readonly<Record<ClientName, KnownClient>> = {
  "claude-code": { title: "Claude Code", names: ["claude-code"], takers: ["anthropic"] },
  "claude-desktop": {
    title: "Claude Desktop",
    names: ["claude-ai", "claude-desktop"],
    takers: ["anthropic"],
  },
  codex: { title: "Codex", names: ["codex", "codex-mcp-client"], takers: ["openai"] },
  chatgpt: { title: "ChatGPT", names: ["chatgpt", "openai-mcp"], takers: ["openai"] },
  "gemini-cli": {
    title: "Gemini CLI",
    names: ["gemini-cli-mcp-client", "gemini-cli", "antigravity-client"],
    takers: ["gemini"],
  },
  vscode: {
    title: "VS Code",
    names: ["visual studio code", "visual-studio-code", "visual studio code - insiders"],
    takers: ["vscode"],
  },
  "q-developer": { title: "Amazon Q Developer", names: ["q-dev-cli"], takers: ["bedrock"] },
  cursor: { title: "Cursor", names: ["cursor-vscode", "cursor"], takers: ANY_MODEL },
  windsurf: { title: "Windsurf", names: ["windsurf-client", "windsurf"], takers: ANY_MODEL },
  "copilot-cli": {
    title: "GitHub Copilot CLI",
    names: ["github-copilot-developer"],
    takers: ANY_MODEL_OPENAPI,
  },
  cline: { title: "Cline", names: ["cline"], takers: ANY_MODEL_OPENAPI },
  "roo-code": { title: "Roo Code", names: ["roo-code", "kilo-code"], takers: ANY_MODEL },
  opencode: { title: "opencode", names: ["opencode"], takers: ANY_MODEL_OPENAPI },
  goose: { title: "goose", names: ["goose"], takers: ANY_MODEL },
  zed: { title: "Zed", names: ["zed"], takers: ANY_MODEL_OPENAPI },
  librechat: { title: "LibreChat", names: ["@librechat/api-client"], takers: ANY_MODEL_OPENAPI },
};

const BY_NAME: ReadonlyMap<string, ClientName> = new Map(
  Object.entries(CLIENTS).flatMap(([client, { names }]) =>
    names.map((name) => [name, client as ClientName] as const),
  ),
);

/**
 * Returns the client that introduced itself by a name; undefined if it is unknown.
 * @param name `clientInfo.name`, in any case
 */
export function clientNamed(name: string): ClientName | undefined {
  return BY_NAME.get(name.trim().toLowerCase());
}

/**
 * Returns the providers whose rules apply for some clients and providers, each once. A name of both a client and a
 * provider means the client.
 */
export function providersOfClients(
  names: readonly (ClientName | ProviderName)[],
): readonly ProviderName[] {
  const takers = names.flatMap((name): readonly ProviderName[] =>
    Object.hasOwn(CLIENTS, name) ? CLIENTS[name as ClientName].takers : [name as ProviderName],
  );
  return [...new Set(takers)];
}

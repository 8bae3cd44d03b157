/** The server that an entry points to. */
export interface EntryTarget {
  readonly name: string;
  readonly url: string;
  /** Whether the gateway requires a key. */
  readonly hasKey: boolean;
}

/** How a client reaches a server over HTTP. */
export interface ClientEntry {
  readonly id: string;
  readonly label: string;
  /** Where the entry belongs, or what to do with it. */
  readonly place: string;
  readonly text: (server: EntryTarget) => string;
}

/** A placeholder for the key, which the page does not know. */
const KEY = "YOUR_API_KEY";
const HEADERS = { headers: { Authorization: `Bearer ${KEY}` } };

const json = (value: object): string => JSON.stringify(value, null, 2);

/** Writes an entry in JSON, in the object `container`; `entry` returns it without the key. */
function inJson(
  container: string,
  entry: (url: string) => object,
): (server: EntryTarget) => string {
  return ({ name, url, hasKey }) =>
    json({ [container]: { [name]: { ...entry(url), ...(hasKey ? HEADERS : {}) } } });
}

/** Quotes a name or text as a TOML or YAML string; both accept JSON strings. */
const quoted = (text: string): string => JSON.stringify(text.toWellFormed());

/** Quotes a word for a POSIX shell if necessary. */
const shell = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;

/**
 * How each client reaches a server over HTTP, according to its vendor's documentation. To support another client, add
 * one entry.
 *
 * - Claude Code: https://code.claude.com/docs/en/mcp
 * - Claude Desktop can only start programs: https://modelcontextprotocol.io/docs/develop/connect-local-servers
 * - Cline: https://docs.cline.bot/mcp/configuring-mcp-servers
 * - Codex: https://developers.openai.com/codex/mcp
 * - Continue: https://docs.continue.dev/customize/deep-dives/mcp
 * - Cursor: https://cursor.com/docs/mcp
 * - Gemini CLI: https://geminicli.com/docs/tools/mcp-server
 * - Goose: https://github.com/aaif-goose/goose/blob/main/documentation/docs/guides/config-files.md
 * - LM Studio: https://github.com/lmstudio-ai/docs/blob/main/0_app/2_mcp/index.mdx
 * - opencode: https://opencode.ai/docs/mcp-servers
 * - VS Code: https://code.visualstudio.com/docs/agents/reference/mcp-configuration
 * - Windsurf: https://docs.windsurf.com/windsurf/cascade/mcp
 * - Zed: https://zed.dev/docs/ai/mcp
 */
export const CLIENT_ENTRIES: readonly [ClientEntry, ...ClientEntry[]] = [
  {
    id: "claude-code",
    label: "Claude Code",
    place: ".mcp.json in a project",
    text: inJson("mcpServers", (url) => ({ type: "http", url })),
  },
  {
    id: "claude-code-command",
    label: "Claude Code, by command",
    place: "Run it in a shell",
    text: ({ name, url, hasKey }) => {
      const header = hasKey ? ` --header ${shell(`Authorization: Bearer ${KEY}`)}` : "";
      return `claude mcp add --transport http ${shell(name)} ${shell(url)}${header}`;
    },
  },
  {
    id: "claude-desktop",
    label: "Claude Desktop",
    place: "claude_desktop_config.json; it starts programs only, so mcp-remote connects",
    text: ({ name, url, hasKey }) => {
      const header = hasKey ? ["--header", `Authorization: Bearer ${KEY}`] : [];
      const args = ["-y", "mcp-remote", url, ...header];
      return json({ mcpServers: { [name]: { command: "npx", args } } });
    },
  },
  {
    id: "cursor",
    label: "Cursor",
    place: "~/.cursor/mcp.json",
    text: inJson("mcpServers", (url) => ({ url })),
  },
  {
    id: "vscode",
    label: "VS Code",
    place: ".vscode/mcp.json",
    text: inJson("servers", (url) => ({ type: "http", url })),
  },
  {
    id: "codex",
    label: "Codex",
    place: "~/.codex/config.toml, with the key in the variable TOUCHSTONE_API_KEY if there is one",
    text: ({ name, url, hasKey }) =>
      [
        `[mcp_servers.${quoted(name)}]`,
        `url = ${quoted(url)}`,
        ...(hasKey ? ['bearer_token_env_var = "TOUCHSTONE_API_KEY"'] : []),
      ].join("\n"),
  },
  {
    id: "gemini-cli",
    label: "Gemini CLI",
    place: "~/.gemini/settings.json",
    text: inJson("mcpServers", (url) => ({ httpUrl: url })),
  },
  {
    id: "windsurf",
    label: "Windsurf",
    place: "~/.codeium/windsurf/mcp_config.json",
    text: inJson("mcpServers", (url) => ({ serverUrl: url })),
  },
  {
    id: "zed",
    label: "Zed",
    place: "settings.json of Zed",
    text: inJson("context_servers", (url) => ({ url })),
  },
  {
    id: "cline",
    label: "Cline",
    place: "cline_mcp_settings.json",
    text: inJson("mcpServers", (url) => ({ type: "streamableHttp", url })),
  },
  {
    id: "opencode",
    label: "opencode",
    place: "opencode.json",
    text: inJson("mcp", (url) => ({ type: "remote", url, enabled: true })),
  },
  {
    id: "lmstudio",
    label: "LM Studio",
    place: "~/.lmstudio/mcp.json",
    text: inJson("mcpServers", (url) => ({ url })),
  },
  {
    id: "goose",
    label: "Goose",
    place: "~/.config/goose/config.yaml",
    text: ({ name, url, hasKey }) =>
      [
        "extensions:",
        `  ${quoted(name)}:`,
        "    enabled: true",
        "    type: streamable_http",
        `    name: ${quoted(name)}`,
        `    uri: ${quoted(url)}`,
        ...(hasKey ? ["    headers:", `      Authorization: "Bearer ${KEY}"`] : []),
      ].join("\n"),
  },
  {
    id: "continue",
    label: "Continue",
    place: "~/.continue/config.yaml",
    text: ({ name, url, hasKey }) =>
      [
        "mcpServers:",
        `  - name: ${quoted(name)}`,
        "    type: streamable-http",
        `    url: ${quoted(url)}`,
        ...(hasKey
          ? ["    requestOptions:", "      headers:", `        Authorization: "Bearer ${KEY}"`]
          : []),
      ].join("\n"),
  },
];

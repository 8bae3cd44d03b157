import { existsSync, readdirSync } from "node:fs";
import { join as joinHere, posix, win32 } from "node:path";
import { settingsFolder, type UserEnvironment } from "../config-file/settings-folder.ts";

export const CLIENTS = [
  "claude",
  "cline",
  "codex",
  "continue",
  "cursor",
  "gemini-cli",
  "goose",
  "jetbrains",
  "lmstudio",
  "opencode",
  "vscode",
  "windsurf",
  "zed",
  // Aggregators: Touchstone is placed between them and their servers.
  "1mcp",
  "mcphub",
  "mcpproxy",
] as const;
export type ClientName = (typeof CLIENTS)[number];

/** Names for one of the programs of a client. */
export const PROGRAMS: Readonly<Record<string, readonly [ClientName, program: string]>> = {
  "claude-code": ["claude", "Claude Code"],
  "claude-desktop": ["claude", "Claude Desktop"],
};

/** Older names of clients, which are still accepted. */
export const OLDER_NAMES: ReadonlyMap<string, ClientName> = new Map([["gemini", "gemini-cli"]]);

/** The facts that determine where clients' files are. */
export interface ClientPlaces extends UserEnvironment {
  /** The directory to search for project files. */
  readonly cwd: string;
}

/** A file in which a client stores servers. */
export interface ClientFile {
  /** The program that reads the file. */
  readonly program: string;
  readonly path: string;
  /** The program assumes the HTTP+SSE transport for a `url` without a type. */
  readonly bareUrl?: "sse";
}

/**
 * Returns where Claude Desktop keeps its file on Windows if it is installed as a package (MSIX), by its installer or
 * the Microsoft Store: Windows redirects files under `APPDATA`, and the file at the documented path is not read
 * (https://github.com/anthropics/claude-code/issues/26073).
 */
function packagedClaude({ platform, home, env }: ClientPlaces): readonly string[] {
  if (platform !== "win32") return [];
  const local = env["LOCALAPPDATA"] || win32.join(home, "AppData", "Local");
  return [win32.join(local, "Packages", "Claude_pzs8sxrjxfjjc", "LocalCache", "Roaming")];
}

/**
 * Returns the files in which a client looks for servers, according to its vendor's documentation:
 *
 * - Claude Desktop: https://modelcontextprotocol.io/docs/develop/connect-local-servers
 * - Claude Code: https://code.claude.com/docs/en/mcp (`CLAUDE_CONFIG_DIR` moves its file)
 * - Cline: https://docs.cline.bot/cli/configuration, and the file of its extension for VS Code before that
 * - Codex: https://developers.openai.com/codex/mcp (`CODEX_HOME` moves its folder)
 * - Continue: https://docs.continue.dev/customize/deep-dives/mcp
 * - Cursor: https://cursor.com/docs/mcp
 * - Gemini CLI: https://geminicli.com/docs/tools/mcp-server
 * - Goose: https://github.com/aaif-goose/goose/blob/main/documentation/docs/guides/config-files.md
 * - Junie: https://junie.jetbrains.com/docs/junie-cli-mcp-configuration.html; JetBrains Air:
 *   https://www.jetbrains.com/help/air/mcp-servers.html
 * - LM Studio: https://github.com/lmstudio-ai/docs/blob/main/0_app/2_mcp/index.mdx
 * - opencode: https://opencode.ai/docs/mcp-servers, https://opencode.ai/docs/config
 * - VS Code: https://code.visualstudio.com/docs/agents/reference/mcp-configuration
 * - Windsurf: https://docs.windsurf.com/windsurf/cascade/mcp; it keeps none for a project
 * - Zed: https://zed.dev/docs/ai/mcp, https://zed.dev/docs/configuring-zed
 * - 1MCP: https://github.com/1mcp-app/agent/blob/main/docs/en/guide/essentials/configuration.md (`ONE_MCP_CONFIG` and
 *   `ONE_MCP_CONFIG_DIR` move it)
 * - MCPHub: https://github.com/samanhappy/mcphub/blob/main/docs/configuration/mcp-settings.mdx
 *   (`MCPHUB_SETTING_PATH` names the file or its folder)
 * - mcpproxy: https://github.com/smart-mcp-proxy/mcpproxy-go/blob/main/docs/configuration/config-file.md
 * @param project whether to return the files of the current directory instead of the user's
 */
export function clientFiles(
  client: ClientName,
  place: ClientPlaces,
  project: boolean,
): readonly ClientFile[] {
  const { join } = place.platform === "win32" ? win32 : posix;
  const settings = settingsFolder(place);
  const { home, cwd, env, platform } = place;
  const at = (program: string, ...parts: string[]): ClientFile => ({
    program,
    path: join(...parts),
  });
  /** Programs that use `~/.config` on macOS as well. */
  const dotConfig = platform === "win32" ? settings : join(home, ".config");
  switch (client) {
    case "claude":
      return project
        ? [at("Claude Code", cwd, ".mcp.json")]
        : [
            ...[settings, ...packagedClaude(place)].map((folder) =>
              at("Claude Desktop", folder, "Claude", "claude_desktop_config.json"),
            ),
            at("Claude Code", env["CLAUDE_CONFIG_DIR"] || home, ".claude.json"),
          ];
    case "cline": {
      const file = ["settings", "cline_mcp_settings.json"] as const;
      const extension = ["Code", "User", "globalStorage", "saoudrizwan.claude-dev"] as const;
      if (project) return [];
      return [
        at("Cline", home, ".cline", "data", ...file),
        at("Cline in VS Code", settings, ...extension, ...file),
      ].map((each) => ({ ...each, bareUrl: "sse" }));
    }
    case "codex":
      return project
        ? [at("Codex", cwd, ".codex", "config.toml")]
        : [at("Codex", env["CODEX_HOME"] || join(home, ".codex"), "config.toml")];
    case "continue":
      return [
        ...(project ? [] : [at("Continue", home, ".continue", "config.yaml")]),
        ...filesIn(
          joinHere(project ? cwd : home, ".continue", "mcpServers"),
          /\.(?:ya?ml|json)$/,
        ).map((path) => at("Continue", path)),
      ];
    case "cursor":
      return [at("Cursor", project ? cwd : home, ".cursor", "mcp.json")];
    case "gemini-cli": {
      const file = at("Gemini CLI", project ? cwd : home, ".gemini", "settings.json");
      return [{ ...file, bareUrl: "sse" }];
    }
    case "goose":
      if (project) return [];
      return platform === "win32"
        ? [at("Goose", settings, "Block", "goose", "config", "config.yaml")]
        : [at("Goose", home, ".config", "goose", "config.yaml")];
    case "jetbrains":
      return project
        ? [
            at("Junie", cwd, ".junie", "mcp", "mcp.json"),
            at("JetBrains Air", cwd, ".air", "mcp.json"),
          ]
        : [at("Junie", home, ".junie", "mcp", "mcp.json")];
    case "lmstudio":
      return project ? [] : [at("LM Studio", home, ".lmstudio", "mcp.json")];
    case "opencode": {
      const folders = project ? [cwd, join(cwd, ".opencode")] : [join(home, ".config", "opencode")];
      return folders.flatMap((folder) =>
        ["opencode.json", "opencode.jsonc"].map((name) => at("opencode", folder, name)),
      );
    }
    case "vscode":
      return project
        ? [at("VS Code", cwd, ".vscode", "mcp.json")]
        : [at("VS Code", settings, "Code", "User", "mcp.json")];
    case "windsurf":
      return project ? [] : [at("Windsurf", home, ".codeium", "windsurf", "mcp_config.json")];
    case "zed":
      return project ? [at("Zed", cwd, ".zed", "settings.json")] : [zedFile(place)];
    case "1mcp": {
      if (project) return [];
      const file = env["ONE_MCP_CONFIG"];
      return [
        file
          ? at("1MCP", file)
          : at("1MCP", env["ONE_MCP_CONFIG_DIR"] || join(dotConfig, "1mcp"), "mcp.json"),
      ];
    }
    case "mcphub": {
      const named = env["MCPHUB_SETTING_PATH"];
      if (project) return [at("MCPHub", cwd, "mcp_settings.json")];
      if (!named) return [];
      return [
        named.endsWith(".json") ? at("MCPHub", named) : at("MCPHub", named, "mcp_settings.json"),
      ];
    }
    case "mcpproxy":
      return project ? [] : [at("mcpproxy", home, ".mcpproxy", "mcp_config.json")];
  }
}

/** Returns the files of all clients that exist: the user's and the directory's, each path once. */
export function existingFiles(place: ClientPlaces): readonly ClientFile[] {
  const files = CLIENTS.flatMap((client) => [
    ...clientFiles(client, place, false),
    ...clientFiles(client, place, true),
  ]);
  const byPath = new Map(files.map((file) => [file.path, file]));
  return [...byPath.values()].filter(({ path }) => existsSync(path));
}

/** On Linux, `XDG_CONFIG_HOME` changes its folder. */
function zedFile(place: ClientPlaces): ClientFile {
  const { platform, home } = place;
  const path =
    platform === "win32"
      ? win32.join(settingsFolder(place), "Zed", "settings.json")
      : platform === "darwin"
        ? posix.join(home, ".config", "zed", "settings.json")
        : posix.join(settingsFolder(place), "zed", "settings.json");
  return { program: "Zed", path };
}

/** Returns the files in a folder whose names match; none if the folder does not exist. */
function filesIn(folder: string, names: RegExp): readonly string[] {
  try {
    return readdirSync(folder)
      .filter((name) => names.test(name))
      .sort()
      .map((name) => joinHere(folder, name));
  } catch {
    return [];
  }
}

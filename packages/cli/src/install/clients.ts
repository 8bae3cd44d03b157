import { posix, win32 } from "node:path";

export const CLIENTS = ["claude", "cursor", "vscode", "windsurf"] as const;
export type ClientName = (typeof CLIENTS)[number];

/** What a client's files depend on. */
export interface Place {
  readonly platform: NodeJS.Platform;
  readonly home: string;
  /** The directory whose project files are meant. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** A file in which a client keeps servers. */
export interface ClientFile {
  /** The program that reads it. */
  readonly program: string;
  readonly path: string;
}

/** Where programs keep their settings for a user. */
function settingsFolder({ platform, home, env }: Place): string {
  if (platform === "win32") return env["APPDATA"] || win32.join(home, "AppData", "Roaming");
  if (platform === "darwin") return posix.join(home, "Library", "Application Support");
  return env["XDG_CONFIG_HOME"] || posix.join(home, ".config");
}

/**
 * Where Claude Desktop's file is on Windows when its installer, or the Microsoft Store, has put it there
 * as a package (MSIX): Windows redirects what it keeps under `APPDATA`, and the file at the documented
 * place is not read (https://github.com/anthropics/claude-code/issues/26073).
 */
function packagedClaude({ platform, home, env }: Place): readonly string[] {
  if (platform !== "win32") return [];
  const local = env["LOCALAPPDATA"] || win32.join(home, "AppData", "Local");
  return [win32.join(local, "Packages", "Claude_pzs8sxrjxfjjc", "LocalCache", "Roaming")];
}

/**
 * The files in which a client looks for servers, as its maker documents them: Claude Desktop
 * (https://modelcontextprotocol.io/docs/develop/connect-local-servers), Claude Code
 * (https://code.claude.com/docs/en/mcp; `CLAUDE_CONFIG_DIR` moves its file), Cursor
 * (https://cursor.com/docs/mcp), VS Code
 * (https://code.visualstudio.com/docs/agents/reference/mcp-configuration), Windsurf
 * (https://docs.windsurf.com/windsurf/cascade/mcp), which keeps none for a project.
 * @param project those of the directory, in the place of the user's
 */
export function clientFiles(
  client: ClientName,
  place: Place,
  project: boolean,
): readonly ClientFile[] {
  const { join } = place.platform === "win32" ? win32 : posix;
  const settings = settingsFolder(place);
  const { home, cwd, env } = place;
  const at = (program: string, ...parts: string[]): ClientFile => ({
    program,
    path: join(...parts),
  });
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
    case "cursor":
      return [at("Cursor", project ? cwd : home, ".cursor", "mcp.json")];
    case "vscode":
      return project
        ? [at("VS Code", cwd, ".vscode", "mcp.json")]
        : [at("VS Code", settings, "Code", "User", "mcp.json")];
    case "windsurf":
      return project ? [] : [at("Windsurf", home, ".codeium", "windsurf", "mcp_config.json")];
  }
}

import { posix, win32 } from "node:path";

export const CLIENTS = ["claude", "cursor", "vscode"] as const;
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
 * The files in which a client looks for servers, as its maker documents them: Claude Desktop and
 * Claude Code ("Connect to local MCP servers", "Connect Claude Code to tools via MCP"), Cursor
 * ("Model Context Protocol"), VS Code ("MCP configuration reference").
 * @param project those of the directory, in the place of the user's
 */
export function clientFiles(
  client: ClientName,
  place: Place,
  project: boolean,
): readonly ClientFile[] {
  const { join } = place.platform === "win32" ? win32 : posix;
  const settings = settingsFolder(place);
  const { home, cwd } = place;
  const at = (program: string, ...parts: string[]): ClientFile => ({
    program,
    path: join(...parts),
  });
  switch (client) {
    case "claude":
      return project
        ? [at("Claude Code", cwd, ".mcp.json")]
        : [
            at("Claude Desktop", settings, "Claude", "claude_desktop_config.json"),
            at("Claude Code", home, ".claude.json"),
          ];
    case "cursor":
      return [at("Cursor", project ? cwd : home, ".cursor", "mcp.json")];
    case "vscode":
      return project
        ? [at("VS Code", cwd, ".vscode", "mcp.json")]
        : [at("VS Code", settings, "Code", "User", "mcp.json")];
  }
}

import { posix, win32 } from "node:path";
import type { CliIo } from "../terminal/cli-io.ts";

/** The facts that determine where a user's files are. */
export interface UserEnvironment {
  readonly platform: NodeJS.Platform;
  readonly home: string;
  readonly env: CliIo["env"];
}

/**
 * Returns the directory for a user's program settings: `%APPDATA%`, `~/Library/Application Support`, or the value of
 * `XDG_CONFIG_HOME`, which is ignored unless it is absolute (https://specifications.freedesktop.org/basedir/latest/).
 */
export function settingsFolder({ platform, home, env }: UserEnvironment): string {
  if (platform === "win32") return env["APPDATA"] || win32.join(home, "AppData", "Roaming");
  if (platform === "darwin") return posix.join(home, "Library", "Application Support");
  const { XDG_CONFIG_HOME: named = "" } = env;
  return posix.isAbsolute(named) ? named : posix.join(home, ".config");
}

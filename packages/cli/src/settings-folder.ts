import { posix, win32 } from "node:path";
import type { CliIo } from "./io.ts";

/** What the places of a user's files depend on. */
export interface UserPlace {
  readonly platform: NodeJS.Platform;
  readonly home: string;
  readonly env: CliIo["env"];
}

/**
 * Returns where programs keep their settings for a user: `%APPDATA%`, `~/Library/Application Support`, or what
 * `XDG_CONFIG_HOME` names, which counts only if it is absolute
 * (https://specifications.freedesktop.org/basedir/latest/).
 */
export function settingsFolder({ platform, home, env }: UserPlace): string {
  if (platform === "win32") return env["APPDATA"] || win32.join(home, "AppData", "Roaming");
  if (platform === "darwin") return posix.join(home, "Library", "Application Support");
  const { XDG_CONFIG_HOME: named = "" } = env;
  return posix.isAbsolute(named) ? named : posix.join(home, ".config");
}

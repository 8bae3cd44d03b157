/**
 * Variables that a server needs to find programs, its user's files and its locale, and that contain no secrets: the
 * list of the official MCP SDK for stdio servers, and the locale's.
 */
const SAFE_VARIABLES =
  process.platform === "win32"
    ? [
        "APPDATA",
        "HOMEDRIVE",
        "HOMEPATH",
        "LOCALAPPDATA",
        "PATH",
        "PATHEXT",
        "PROCESSOR_ARCHITECTURE",
        "PROGRAMFILES",
        "SYSTEMDRIVE",
        "SYSTEMROOT",
        "TEMP",
        "TMP",
        "USERNAME",
        "USERPROFILE",
      ]
    : ["HOME", "LANG", "LC_ALL", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "TZ", "USER"];

type Environment = Readonly<Record<string, string | undefined>>;

/** Returns the variables of `environment` that any server may see. */
function safeEnvironment(environment: Environment): Record<string, string> {
  const safe: Record<string, string> = {};
  for (const name of SAFE_VARIABLES) {
    const value = environment[name];
    // A value that starts like this is an exported shell function, which a shell would run.
    if (value !== undefined && !value.startsWith("()")) safe[name] = value;
  }
  return safe;
}

/**
 * Returns the whole environment of a configured server: what any server may see, plus `configured`. On Windows names
 * ignore case, and the first of two would win.
 */
export function serverEnvironment(
  environment: Environment,
  configured: Readonly<Record<string, string>>,
  platform: NodeJS.Platform = process.platform,
): Record<string, string> {
  const safe = Object.entries(safeEnvironment(environment));
  const nameOf = (name: string): string => (platform === "win32" ? name.toUpperCase() : name);
  const given = new Set(Object.keys(configured).map(nameOf));
  return {
    ...Object.fromEntries(safe.filter(([name]) => !given.has(nameOf(name)))),
    ...configured,
  };
}

/** Returns `environment` without Touchstone's own variables, for a command that runs in the user's name. */
export function inheritedEnvironment(environment: Environment): Record<string, string> {
  const inherited: Record<string, string> = {};
  for (const [name, value] of Object.entries(environment)) {
    if (value !== undefined && !name.toUpperCase().startsWith("TOUCHSTONE_"))
      inherited[name] = value;
  }
  return inherited;
}

import { lstatSync, realpathSync, type Stats, statSync } from "node:fs";
import { posix, resolve, win32 } from "node:path";
import type { Logger } from "@touchstone/gateway/log";
import { CliExit, EXIT_USAGE } from "../io/exit.ts";
import { homeDirectory } from "../options/data-dir.ts";
import type { CliIo } from "../terminal/cli-io.ts";
import { safeText } from "../terminal/safe-text.ts";
import { settingsFolder, type UserEnvironment } from "./settings-folder.ts";

const NAME = "touchstone.json";

/** Returns where the user's configuration file is, whether it exists or not. */
export function userConfigFile(place: UserEnvironment): string {
  const { platform } = place;
  const { join } = platform === "win32" ? win32 : posix;
  const folder = platform === "win32" || platform === "darwin" ? "Touchstone" : "touchstone";
  return join(settingsFolder(place), folder, NAME);
}

/**
 * Where a command searches for a configuration if the user has not named one.
 *
 * - `project`: `./touchstone.json`, then the user's file. For commands that users run on purpose in a directory.
 * - `user`: the user's file only. For clients and browsers, the result must not depend on the current directory,
 *   which may be a repository of somebody else.
 */
export type ConfigLookup = "project" | "user";

/** Returns the files that a command may find, in the order of the search. */
export function configCandidates(lookup: ConfigLookup, env: CliIo["env"]): readonly string[] {
  const home = homeDirectory();
  const user =
    home === undefined ? [] : [userConfigFile({ platform: process.platform, home, env })];
  return lookup === "user" ? user : [resolve(NAME), ...user];
}

/** The result of the search for a configuration. */
export interface FoundConfig {
  readonly file: string | undefined;
  /** Why files were ignored, one sentence each. */
  readonly ignored: readonly string[];
}

/** Returns whether a file is the user's own, which `touchstone wrap` reads by default. */
export function isUserConfig(file: string, env: CliIo["env"]): boolean {
  return configCandidates("user", env).some((user) => realPath(user) === realPath(file));
}

function realPath(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    return resolve(file);
  }
}

/**
 * Finds the configuration of a command if the user has not named one. Ignores a file that another user owns or can
 * write: whoever controls it controls which commands are started and what is checked.
 */
export function findConfig(lookup: ConfigLookup, env: CliIo["env"]): FoundConfig {
  const ignored: string[] = [];
  for (const file of configCandidates(lookup, env)) {
    const stats = statsOf(file);
    if (stats === undefined) continue;
    const fault = foreign(stats);
    if (fault === undefined) return { file, ignored };
    ignored.push(`${file} is ignored: ${fault}`);
  }
  return { file: undefined, ignored };
}

/**
 * Returns the facts about the file and, if it is a link, about the link: the owner of the link decides where it
 * leads.
 */
function statsOf(file: string): readonly Stats[] | undefined {
  try {
    const link = lstatSync(file);
    return link.isSymbolicLink() ? [link, statSync(file)] : [link];
  } catch {
    return undefined;
  }
}

/** Returns why a file is not the user's own. Windows does not have such owners and mode bits. */
function foreign(stats: readonly Stats[]): string | undefined {
  const own = process.getuid?.();
  if (own === undefined) return undefined;
  if (stats.some(({ uid }) => uid !== own)) {
    return "another user owns it; name it with --config if you trust it";
  }
  // The mode bits of a link have no meaning.
  const isOpen = stats.some((each) => !each.isSymbolicLink() && (each.mode & 0o022) !== 0);
  return isOpen
    ? "other users can write it; run chmod go-w on it, or name it with --config"
    : undefined;
}

/** Finds a configuration like {@link findConfig}, and warns on stderr about ignored files. */
export function foundConfig(
  lookup: ConfigLookup,
  { env, stderr }: Pick<CliIo, "env" | "stderr">,
): string | undefined {
  const { file, ignored } = findConfig(lookup, env);
  for (const sentence of ignored) stderr.write(`touchstone: warning: ${safeText(sentence)}\n`);
  return file;
}

/** Options that name a configuration. */
export interface NamedConfig {
  readonly config?: string;
  readonly servers?: string;
}

/**
 * Returns the options with the configuration that was found, and names it on stderr. Options that name a file are
 * returned unchanged.
 */
export function withFoundConfig<T extends NamedConfig>(
  options: T,
  lookup: ConfigLookup,
  { env, stderr }: Pick<CliIo, "env" | "stderr">,
): T {
  if (options.config !== undefined || options.servers !== undefined) return options;
  const file = foundConfig(lookup, { env, stderr });
  if (file === undefined) return options;
  stderr.write(`touchstone: configuration ${safeText(file)}\n`);
  return { ...options, config: file };
}

/** Reports that a command has no configuration, and where it searched. */
export function noConfig(command: string, env: CliIo["env"]): CliExit {
  const looked = configCandidates("project", env).join(" or ");
  const todo =
    "touchstone init writes one; --config FILE names another, --servers FILE a client's file";
  return new CliExit(
    EXIT_USAGE,
    `${command} needs a configuration, and there is no ${looked}: ${todo}`,
  );
}

/** The configuration file of a long-running command: one that the user has named, or one that may appear later. */
export class ConfigSource {
  /** The files to watch. */
  readonly watched: readonly string[];
  readonly #lookup: ConfigLookup;
  readonly #env: CliIo["env"];
  readonly #log: Pick<Logger, "info" | "warn">;
  readonly #told: Set<string> = new Set();
  readonly #isNamed: boolean;
  #file: string | undefined;

  constructor(
    named: string | undefined,
    lookup: ConfigLookup,
    { env, log }: { readonly env: CliIo["env"]; readonly log: Pick<Logger, "info" | "warn"> },
  ) {
    this.#isNamed = named !== undefined;
    this.#file = named;
    this.#lookup = lookup;
    this.#env = env;
    this.#log = log;
    this.watched = named === undefined ? configCandidates(lookup, env) : [named];
  }

  /** Whether the file was found in the current directory, which may be a repository of somebody else. */
  get isOfDirectory(): boolean {
    return !this.#isNamed && this.#file === resolve(NAME);
  }

  /**
   * Returns the file to read now; undefined if there is none. A file that was found once stays in use: if it
   * disappears or another user becomes its owner, settings must not fall back to weaker ones.
   * @throws CliExit if another user now owns the file, or may write it
   */
  file(): string | undefined {
    if (this.#isNamed) return this.#file;
    if (this.#file !== undefined) {
      const fault = foreign(statsOf(this.#file) ?? []);
      if (fault !== undefined) throw new CliExit(EXIT_USAGE, `${this.#file}: ${fault}`);
      return this.#file;
    }
    const { file, ignored } = findConfig(this.#lookup, this.#env);
    for (const sentence of ignored.filter((each) => !this.#told.has(each))) {
      this.#told.add(sentence);
      this.#log.warn(sentence);
    }
    if (file !== undefined) this.#log.info(`the configuration is ${file}`);
    this.#file = file;
    return file;
  }
}

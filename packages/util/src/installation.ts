import { existsSync, readFileSync } from "node:fs";
import { basename, dirname, join, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { messageOf } from "@touchstone/core/plain";
import { codeOf, TouchstoneError } from "./errors.ts";
import { MANIFEST_FILE, VERSION } from "./own-package.ts";

/** Why this process cannot go on with its own files. */
export const INSTALLATION_ERRORS = {
  INSTALLATION_CHANGED: [
    503,
    "Files of Touchstone were removed or replaced while the process ran, as by an upgrade",
  ],
} as const;

/** The files of the running program were removed or replaced since this process started. */
export class InstallationError extends TouchstoneError<keyof typeof INSTALLATION_ERRORS> {
  constructor(what: string, options?: ErrorOptions) {
    const message = `the installation of touchstone changed while this process ran (${what}); restart it`;
    super("InstallationError", INSTALLATION_ERRORS, "INSTALLATION_CHANGED", message, options);
  }
}

const change = new AbortController();

/** Aborted, with an {@link InstallationError}, once something that this process needs cannot be loaded anymore. */
export const installationChanged: AbortSignal = change.signal;

/**
 * Checks whether one of our own modules failed to load because the installation has changed. Only for errors of
 * `import()` and of threads, which contain no text of a client or a server.
 * @param error what was thrown; undefined before something is loaded
 * @returns the error to report, after {@link installationChanged} was aborted with it; undefined if the files are there
 */
export function checkInstallation(error?: unknown): InstallationError | undefined {
  const missing = missingFile(error);
  const what = missing === undefined ? otherVersion() : `${missing} is missing`;
  if (what === undefined) return undefined;
  const noticed = new InstallationError(what, error === undefined ? undefined : { cause: error });
  if (!change.signal.aborted) change.abort(noticed);
  return noticed;
}

/** Returns what is wrong with the manifest: it was removed, or belongs to another version. */
function otherVersion(): string | undefined {
  try {
    const { version } = JSON.parse(readFileSync(MANIFEST_FILE, "utf8")) as { version?: unknown };
    return version === VERSION || typeof version !== "string"
      ? undefined
      : `version ${VERSION} runs, and ${version} is installed`;
  } catch (error) {
    // Anything else, such as too many open files, says nothing about the installation.
    return codeOf(error) === "ENOENT" ? `${MANIFEST_FILE} is missing` : undefined;
  }
}

/** The folder of the command's single package, or those of this package and of the packages beside it. */
const ROOTS: readonly string[] = rootsAround(dirname(MANIFEST_FILE));

function rootsAround(own: string): readonly string[] {
  if (basename(own) !== "util") return [own];
  const beside = [
    ...["capability", "cli", "core", "gateway", "http", "protocol", "records", "runner"],
  ];
  return [own, ...beside.map((name) => join(dirname(own), name))];
}

const NOT_FOUND: ReadonlySet<string> = new Set([
  "ENOENT",
  "ERR_MODULE_NOT_FOUND",
  "MODULE_NOT_FOUND",
]);

/** Returns the file of our own that an error of loading names, if it is really missing. */
function missingFile(error: unknown): string | undefined {
  if (!(error instanceof Error) || !NOT_FOUND.has(codeOf(error))) return undefined;
  const { url, path } = error as { readonly url?: unknown; readonly path?: unknown };
  const [, named, importer] =
    /^Cannot find (?:module|package) '([^']+)'(?: imported from (.+))?/.exec(messageOf(error)) ??
    [];
  const files = [url, path, named, importer].flatMap((file) => asPath(file) ?? []);
  return files.find(
    (file) => ROOTS.some((root) => file.startsWith(root + sep)) && !existsSync(file),
  );
}

function asPath(file: unknown): string | undefined {
  if (typeof file !== "string") return undefined;
  return file.startsWith("file:") ? fileURLToPath(file) : file;
}

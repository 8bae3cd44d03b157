import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { commandWithoutSecrets, loadConfig } from "@touchstone/gateway/config";
import { plural } from "@touchstone/util/plural";
import { askToConfirm, canAsk } from "../io/confirm.ts";
import { CliExit, EXIT_USAGE } from "../io/exit.ts";
import type { ProcessIo } from "../io/process-io.ts";
import { safeText } from "../terminal/safe-text.ts";
import { configCandidates, type NamedConfig, withFoundConfig } from "./default-config.ts";

/** How many approved files to remember; the oldest are dropped first. */
const MAX_APPROVED = 200;

/** Returns the file with the approvals: it is next to the user's configuration. */
function approvalsFile(env: ProcessIo["env"]): string | undefined {
  const [user] = configCandidates("user", env);
  return user === undefined ? undefined : join(dirname(user), "approved.json");
}

/**
 * Returns the key of an approval: a digest of a file's path and content, because the same text may start other
 * programs in another place.
 */
function digestOf(file: string, text: string): string {
  return createHash("sha256")
    .update(`${resolve(file)}\n${text}`)
    .digest("hex");
}

function approved(file: string | undefined): readonly string[] {
  try {
    const value: unknown = JSON.parse(readFileSync(file ?? "", "utf8"));
    return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
  } catch {
    return [];
  }
}

/**
 * Remembers that the user approved the commands of a file. If that cannot be stored, the user is asked again next
 * time.
 */
export function rememberApproval(file: string, text: string, env: ProcessIo["env"]): void {
  const kept = approvalsFile(env);
  if (kept === undefined) return;
  try {
    mkdirSync(dirname(kept), { recursive: true, mode: 0o700 });
    const all = [...new Set([...approved(kept), digestOf(file, text)])].slice(-MAX_APPROVED);
    writeFileSync(kept, `${JSON.stringify(all, undefined, 2)}\n`, { mode: 0o600 });
  } catch {
    // The user is asked again next time.
  }
}

/**
 * Asks on a terminal whether to start the commands of a configuration that was found, and not named by the user: once
 * for each content of the file. The user may only want to view servers, in a repository of somebody else.
 * @throws CliExit if the answer is no, or there is no terminal to ask on; ConfigError with all faults of the file
 */
export async function askToStart(file: string, io: ProcessIo): Promise<void> {
  const text = readFileSync(file, "utf8");
  const { servers } = loadConfig(file, { env: io.env });
  const started = servers.flatMap(({ name, upstream, disabled }) =>
    disabled || upstream.type !== "stdio"
      ? []
      : [{ name, words: [upstream.command, ...upstream.args] }],
  );
  if (started.length === 0 || approved(approvalsFile(io.env)).includes(digestOf(file, text)))
    return;
  if (!canAsk(io)) {
    throw new CliExit(
      EXIT_USAGE,
      `${file} was found, not named, and would start ${plural(started.length, "command")}; if you trust it, run this with --config ${file}`,
    );
  }
  const lines = started.map(
    ({ name, words }) =>
      `  ${safeText(name)}: ${safeText(commandWithoutSecrets(words).join(" "))}\n`,
  );
  const question = `${safeText(file)} starts:\n${lines.join("")}Start them? [y/N] `;
  if (!(await askToConfirm(io, question))) {
    throw new CliExit(EXIT_USAGE, "nothing was started");
  }
  rememberApproval(file, text, io.env);
}

/**
 * Returns the options with the configuration that {@link withFoundConfig} finds for a project, after the user has
 * approved its commands. Does not ask about a file that the user has named.
 * @throws as {@link askToStart} does
 */
export async function withApprovedConfig<T extends NamedConfig>(
  given: T,
  io: ProcessIo,
): Promise<T> {
  const options = withFoundConfig(given, "project", io);
  if (options !== given && options.config !== undefined) await askToStart(options.config, io);
  return options;
}

import { didYouMean } from "@touchstone/gateway/config";
import { CliExit, EXIT_USAGE } from "../io/exit.ts";
import { safeText } from "../terminal/safe-text.ts";
import type { ServerExamination } from "./examine.ts";

/** A required server or tool is disabled or skipped, or does not respond. */
export const EXIT_UNREACHABLE = 4;
/** A required tool is missing. */
export const EXIT_MISSING = 5;
/** A required tool has another definition. */
export const EXIT_CHANGED = 6;

/** A requirement. */
export interface Requirement {
  /** The text on the command line. */
  readonly text: string;
  readonly server: string;
  readonly tool?: string;
  /** `sha256:` and the digest of the tool's definition, or a prefix of it. */
  readonly hash?: string;
}

/** The result of a requirement. */
export interface RequirementCheck {
  readonly requirement: string;
  readonly state: "met" | "unreachable" | "missing" | "changed";
  readonly message: string;
  /** Hash of the tool's current definition, if it exists. */
  readonly hash?: string;
}

const FORM = /^(?<tool>.*?)(?:@(?<hash>sha256:[0-9a-f]{12,64}))?$/s;

/**
 * Reads `server`, `server:tool` and `server:tool@hash`.
 * @param servers the names of all configured servers
 * @throws CliExit 2 if it does not begin with the name of a configured server, or has another form
 */
export function requirementOf(text: string, servers: readonly string[]): Requirement {
  // Names may contain a colon, so the longest match counts.
  const [server] = servers
    .filter((name) => text === name || text.startsWith(`${name}:`))
    .sort((one, other) => other.length - one.length);
  if (server === undefined) {
    const [first = ""] = text.split(":");
    const meant = safeText(didYouMean(first, servers));
    const all = servers.slice(0, 50).map(safeText).join(", ");
    const hint = meant === "" ? ". The configuration has:" : `${meant} It has:`;
    throw new CliExit(EXIT_USAGE, `--require "${safeText(text)}": no such server${hint} ${all}`);
  }
  if (text === server) return { text, server };
  const { tool = "", hash } = FORM.exec(text.slice(server.length + 1))?.groups ?? {};
  if (tool === "" || (hash === undefined && /@sha256:/.test(tool))) {
    const form = "write server, server:tool or server:tool@sha256:DIGEST";
    throw new CliExit(EXIT_USAGE, `--require "${safeText(text)}": ${form}`);
  }
  return { text, server, tool, ...(hash === undefined ? {} : { hash }) };
}

/**
 * Compares a requirement with the findings about its server.
 * @param found undefined if the server was not asked, because it is disabled or skipped
 */
export function checkRequirement(
  { text: requirement, server, tool, hash: wanted }: Requirement,
  found: ServerExamination | undefined,
): RequirementCheck {
  if (found === undefined || !found.reachable || found.listFails === true) {
    const why = found?.reason ?? "it is disabled or skipped";
    return { requirement, state: "unreachable", message: `${server} cannot be reached: ${why}` };
  }
  if (tool === undefined) return { requirement, state: "met", message: "it answers" };
  const hash = found.hashes?.get(tool);
  if (hash === undefined) {
    const meant = didYouMean(tool, [...(found.hashes?.keys() ?? [])]);
    const message = `the server does not list this tool${meant}`;
    return { requirement, state: "missing", message };
  }
  if (wanted === undefined || hash.startsWith(wanted)) {
    return { requirement, state: "met", message: "it is listed", hash };
  }
  const message = `its definition has changed: it is ${hash} now; touchstone lock --check shows what differs`;
  return { requirement, state: "changed", message, hash };
}

/** Returns the result of each requirement, one line each. */
export function requirementsText(checks: readonly RequirementCheck[]): string {
  const line = ({ requirement, state, message }: RequirementCheck): string =>
    `${state === "met" ? "required" : "! required"} ${safeText(requirement)}: ${safeText(message)}\n`;
  return checks.map(line).join("");
}

/** Returns the exit status of the command: if there are several reasons, the one that says least about the tools. */
export function requirementExit(checks: readonly RequirementCheck[]): CliExit | undefined {
  const codes = {
    met: 0,
    unreachable: EXIT_UNREACHABLE,
    missing: EXIT_MISSING,
    changed: EXIT_CHANGED,
  };
  const failed = checks.filter(({ state }) => state !== "met");
  if (failed.length === 0) return undefined;
  const code = Math.min(...failed.map(({ state }) => codes[state]));
  const names = failed.map(({ requirement, state }) => `${safeText(requirement)} (${state})`);
  return new CliExit(
    code,
    `${failed.length} of ${checks.length} requirements not met: ${names.join(", ")}`,
  );
}

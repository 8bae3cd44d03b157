import {
  type ActivityScope,
  excusesOf,
  type PolicyOffence,
  type PolicyRollout,
  type PolicySource,
  policyRollout,
  type Rollout,
  type RolloutOffence,
  type Suggestion,
  suggestRules,
} from "@touchstone/gateway/activity";
import { CliExit, EXIT_FINDINGS } from "../exit.ts";
import { counted } from "../terminal/counted.ts";
import { safeText } from "../terminal/safe-text.ts";
import { toJson } from "../terminal/serialise.ts";
import { answerFormat, writeAnswer } from "./answer.ts";
import { type ActivityIo, failsOn, type Options } from "./options.ts";
import { configOf, PARTIAL, withoutRecords, withReader } from "./reader.ts";
import { readScope } from "./scope.ts";

/**
 * `touchstone activity rollout`: tells what strict would have blocked of what was recorded in warn.
 * What the rules in the file of `--config`, or else in the user's file, excuse is not counted. `--suggest`
 * prints the settings under which the known offenders pass, and the rest to stderr. If the file forbids tools,
 * values of arguments or callers, it also tells what that would have blocked.
 *
 * @throws CliExit 1 if `--fail-on blocked` is given and strict would have blocked something, 2 for
 *   a wrong option, 3 where the records cannot be read, or `--fail-on` is given and there are none
 */
export async function runRollout(io: ActivityIo, options: Options): Promise<void> {
  const format = answerFormat(options);
  const fails = failsOn(options, "blocked");
  const scope = await readScope(io, options);
  const config = await configIn(io, options);
  const excuses = config === undefined ? [] : excusesOf(config);
  const read = await withReader(
    io,
    options,
    async (reader) => ({
      found: await reader.rollout(scope, excuses),
      policy: config && (await policyRollout(reader, scope, config)),
    }),
    PARTIAL,
  );
  const { found, policy } = read ?? {};
  if (found === undefined && fails) throw withoutRecords("checked");
  if (found === undefined && format === "table") return;
  const rollout = found ?? emptyRollout(scope);
  const suggestion = options["suggest"] === true ? suggestRules(rollout) : undefined;
  const answer = {
    ...rollout,
    ...(policy === undefined ? {} : { policy }),
    ...(suggestion === undefined ? {} : { suggestion }),
  };
  const text = rolloutText(rollout) + (policy === undefined ? "" : policyText(policy));
  // With `--suggest`, stdout has only the settings, so that they can be written to a file.
  if (format === "table" && suggestion !== undefined) {
    io.stderr.write(text + leftText(suggestion));
  }
  writeAnswer(io, format, answer, () =>
    suggestion === undefined ? text : toJson({ mcpServers: suggestion.mcpServers }, "lines"),
  );
  if (suggestion !== undefined && isEmpty(suggestion)) {
    const why =
      suggestion.left.length > 0
        ? "no rule excuses what strict would have blocked"
        : "nothing is recorded that strict would have blocked";
    io.stderr.write(`There are no rules to suggest: ${why}.\n`);
  } else if (suggestion !== undefined && format === "table") {
    io.stderr.write(
      "\nThe settings on stdout let these pass with a warning: add them to touchstone.json.\n",
    );
  }
  if (fails && rollout.would_block + rollout.other_messages > 0) {
    throw new CliExit(EXIT_FINDINGS, headline(rollout));
  }
  if (fails && policy !== undefined && policy.would_block > 0) {
    throw new CliExit(EXIT_FINDINGS, policyHeadline(policy));
  }
}

/** @throws ConfigError with all faults of the file */
async function configIn(io: ActivityIo, options: Options): Promise<PolicySource | undefined> {
  const { env } = io;
  const file = configOf(io, options);
  if (file === undefined) return undefined;
  const { loadConfig } = await import("@touchstone/gateway/config");
  return loadConfig(file, { env });
}

/** Returns the response for programs if there are no records: the same, but empty. */
function emptyRollout({ since, until }: ActivityScope): Rollout {
  return {
    since: since?.toISOString() ?? null,
    until: until?.toISOString() ?? null,
    calls: 0,
    would_block: 0,
    repaired: 0,
    other_messages: 0,
    offences: [],
    offences_left_out: 0,
  };
}

function isEmpty({ mcpServers }: Suggestion): boolean {
  return Object.keys(mcpServers).length === 0;
}

function leftText({ left }: Suggestion): string {
  return left.length === 0 ? "" : `\nNo rule excuses:\n${left.map(line).join("")}`;
}

function headline({ would_block, calls }: Rollout): string {
  const count = (number: number): string => number.toLocaleString("en");
  return `strict would have blocked ${count(would_block)} of ${count(calls)} ${calls === 1 ? "call" : "calls"}`;
}

function rolloutText(rollout: Rollout): string {
  const { other_messages, repaired, offences, offences_left_out } = rollout;
  const others = other_messages === 0 ? "" : `, and ${counted(other_messages, "other message")}`;
  const repairs = repaired === 0 ? "" : `; repaired: ${repaired.toLocaleString("en")}`;
  const end = offences.length === 0 ? "\n" : ":\n";
  return `${headline(rollout)}${others}${repairs}${end}${offences.map(line).join("")}${leftOut(offences_left_out)}`;
}

function leftOut(count: number): string {
  return count <= 0
    ? ""
    : `  and ${counted(count, "more combination")} of tool and rules; --server and --tool narrow it down\n`;
}

function line(offence: RolloutOffence): string {
  const { server, tool, direction, rule, outcome, undeclared, calls } = offence;
  const where = [server, tool].filter((name) => name !== null).join("/");
  const known = undeclared === "all" ? "undeclared" : (rule ?? outcome ?? "unknown");
  const what = outcome === "unknown" ? "unknown schema" : known;
  return `  ${calls} × ${what} on ${safeText(where || "-")} (${direction ?? "-"})\n`;
}

function policyHeadline({ would_block, calls }: PolicyRollout): string {
  return `policy would have blocked ${would_block.toLocaleString("en")} of ${counted(calls, "call")}`;
}

function policyText(policy: PolicyRollout): string {
  const { offences, unknown, unknowns, left_out } = policy;
  const open = `of ${counted(unknown, "call")} it is unknown:\n`;
  const more = `${counted(left_out, "call")} of further tools and callers are left out; --server and --tool narrow it down\n`;
  return [
    `${policyHeadline(policy)}${offences.length === 0 ? "" : ":"}\n`,
    ...offences.slice(0, MAX_LINES).map(policyLine),
    leftOut(offences.length - MAX_LINES),
    ...(unknowns.length === 0 ? [] : [open]),
    ...unknowns.slice(0, MAX_LINES).map(policyLine),
    leftOut(unknowns.length - MAX_LINES),
    left_out === 0 ? "" : more,
  ].join("");
}

/** How many lines of one kind people see; JSON has all. */
const MAX_LINES = 1_000;

function policyLine({ server, tool, caller, rule, reason, calls }: PolicyOffence): string {
  const where = [server, tool].filter((name) => name !== null).join("/");
  const who = caller === null ? "" : ` (caller ${caller})`;
  return `  ${calls} × ${rule} on ${safeText(where || "-")}${safeText(who)}: ${safeText(reason)}\n`;
}

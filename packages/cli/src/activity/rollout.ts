import {
  type ActivityScope,
  type DirectionRollout,
  type PolicyOffence,
  type PolicyRollout,
  type PolicySource,
  policyRollout,
  type Rollout,
  type RolloutOffence,
  rolloutSettings,
  type Suggestion,
  suggestRules,
  type ToolRollout,
  unappliedSettings,
} from "@touchstone/gateway/activity";
import { plural } from "@touchstone/util/plural";
import { CliExit, EXIT_FAILED, EXIT_FINDINGS } from "../io/exit.ts";
import { safeText } from "../terminal/safe-text.ts";
import { terminalJson } from "../terminal/serialise.ts";
import { type ActivityIo, failsOn, type Options } from "./options.ts";
import { ALLOW_PARTIAL, recordsConfig, withoutRecords, withReader } from "./reader.ts";
import { responseFormat, writeResponse } from "./response-format.ts";
import { readScope } from "./scope.ts";

/**
 * `touchstone activity rollout`: shows what strict would block, or has blocked, among the recorded calls that were
 * checked, and the evidence for each tool. Issues that the rules in the file of `--config`, or else in the user's
 * file, exempt are not counted. `--suggest` prints the settings with which the known offenders would be forwarded,
 * and everything else to stderr. If the file forbids tools, values of arguments or callers, it also shows what that
 * would have blocked.
 *
 * @throws CliExit 1 if `--fail-on blocked` is given and strict would block something, 2 for a wrong option, 3 if the
 *   records cannot be read, or `--fail-on` is given and records are missing, or a called tool was not checked
 */
export async function runRollout(io: ActivityIo, options: Options): Promise<void> {
  const format = responseFormat(options);
  const fails = failsOn(options, "blocked");
  const scope = await readScope(io, options);
  const config = await configIn(io, options);
  const isNamed = options["config"] !== undefined;
  const settings = config && rolloutSettings(config, isNamed ? "considered" : "assumed");
  const read = await withReader(
    io,
    options,
    async (reader) => ({
      found: await reader.rollout(scope, settings),
      policy: config && (await policyRollout(reader, scope, config)),
    }),
    ALLOW_PARTIAL,
  );
  const { found, policy } = read ?? {};
  if (found === undefined && fails) throw withoutRecords("checked");
  if (found === undefined && format === "table") return;
  const rollout = found ?? emptyRollout(scope);
  const unapplied =
    config === undefined || !isNamed ? [] : unappliedSettings(config, calledIn(rollout), rollout);
  const suggestion = options["suggest"] === true ? suggestRules(rollout) : undefined;
  const answer = {
    ...rollout,
    ...(policy === undefined ? {} : { policy }),
    ...(unapplied.length === 0 ? {} : { not_applied: unapplied }),
    ...(suggestion === undefined ? {} : { suggestion }),
  };
  const text =
    rolloutText(rollout) +
    (policy === undefined ? warnedText(rollout) : policyText(policy)) +
    (config === undefined ? NOT_COMPARED : "") +
    unappliedText(unapplied) +
    elsewhereText(rollout, recordsConfig(io, options)) +
    toolsText(rollout);
  // With `--suggest`, stdout contains only the settings, so that they can be redirected to a file.
  if (format === "table" && suggestion !== undefined) {
    io.stderr.write(text + leftText(suggestion));
  }
  writeResponse(io, format, answer, () =>
    suggestion === undefined ? text : terminalJson({ mcpServers: suggestion.mcpServers }, "lines"),
  );
  if (suggestion !== undefined && isEmpty(suggestion)) {
    const why =
      suggestion.left.length > 0
        ? "no rule allows what strict would have blocked"
        : `strict would block 0 of ${plural(rollout.checked, "checked call")}`;
    io.stderr.write(`There are no rules to suggest: ${why}.\n`);
  } else if (suggestion !== undefined && format === "table") {
    io.stderr.write(
      "\nThe settings on stdout forward these with a warning: add them to touchstone.json.\n",
    );
  }
  if (fails && rollout.would_block - rollout.excused + rollout.other_messages > 0) {
    throw new CliExit(EXIT_FINDINGS, headline(rollout));
  }
  if (fails && policy !== undefined && policy.would_block > 0) {
    throw new CliExit(EXIT_FINDINGS, policyHeadline(policy));
  }
  const unchecked =
    fails && options["allowUnchecked"] !== true ? uncheckedIn(rollout, unapplied) : undefined;
  if (unchecked !== undefined) throw new CliExit(EXIT_FAILED, unchecked);
}

/** What a rollout does not check if there is no file. */
const NOT_COMPARED =
  "not compared: policy, narrow, keys and limits; --config FILE compares those of a file\n";

/** Explains which settings apply to tools whose newest call was not checked by those of the file. */
function elsewhereText({ tools }: Rollout, file: string | undefined): string {
  const found = tools.filter((tool) => DIRECTIONS.some(([one]) => tool[one].set_elsewhere));
  const [first] = found;
  if (first === undefined || file === undefined) return "";
  const named = safeText(nameOf(first));
  const which =
    found.length === 1 ? named : `${named} and ${plural(found.length - 1, "more tool")}`;
  return `not set in the file: ${which}: the newest call was checked in another mode, or for other issues, than ${safeText(file)} sets (options of a wrap line, another file, or a change since)\n`;
}

/** Lists the settings in the file of `--config` that cannot be compared with records. */
function unappliedText(keys: readonly string[]): string {
  return keys.length === 0 ? "" : `${unappliedLine(keys)}\n`;
}

function unappliedLine(keys: readonly string[]): string {
  return `not applied: ${keys.join(", ")} of the file; calls were checked with the settings at their time; touchstone replay applies all of these except limits to a capture`;
}

/**
 * Returns what is unknown about the calls; undefined if every direction of every called tool was checked, and every
 * setting was applied.
 */
function uncheckedIn(
  { calls, checked, tools, tools_left_out }: Rollout,
  unapplied: readonly string[],
): string | undefined {
  const next = "--allow-unchecked ignores that";
  if (unapplied.length > 0) return `${unappliedLine(unapplied)}; ${next}`;
  if (calls > 0 && checked === 0) return `none of ${plural(calls, "call")} was checked; ${next}`;
  for (const tool of tools) {
    const found = DIRECTIONS.find(([direction]) => tool.calls > 0 && isOpen(tool[direction]));
    if (found === undefined) continue;
    const [direction, label] = found;
    return `${safeText(nameOf(tool))}, ${label}: ${tool[direction].text}; ${next}`;
  }
  if (tools_left_out > 0) return `${plural(tools_left_out, "more tool")} are not read; ${next}`;
  return undefined;
}

function isOpen({ state, reason }: DirectionRollout): boolean {
  return state === "not_checked" || (state === "cannot_be_checked" && reason !== "undeclared");
}

/** @throws ConfigError with all faults of the file */
async function configIn(io: ActivityIo, options: Options): Promise<PolicySource | undefined> {
  const { env } = io;
  const file = recordsConfig(io, options);
  if (file === undefined) return undefined;
  const { loadConfig } = await import("@touchstone/gateway/config");
  return loadConfig(file, { env });
}

/** Returns the response for programs if there are no records: an empty one of the same form. */
function emptyRollout({ since, until }: ActivityScope): Rollout {
  return {
    since: since?.toISOString() ?? null,
    until: until?.toISOString() ?? null,
    calls: 0,
    checked: 0,
    would_block: 0,
    excused: 0,
    not_checked: 0,
    other_settings: 0,
    not_known: 0,
    policy: 0,
    repaired: 0,
    other_messages: 0,
    offences: [],
    offences_left_out: 0,
    tools: [],
    tools_left_out: 0,
  };
}

function isEmpty({ mcpServers }: Suggestion): boolean {
  return Object.keys(mcpServers).length === 0;
}

function leftText({ left }: Suggestion): string {
  return left.length === 0 ? "" : `\nNo rule allows:\n${left.map(line).join("")}`;
}

function headline({ would_block, checked, excused }: Rollout): string {
  const verb = excused > 0 ? "blocked or would have blocked" : "would have blocked";
  return `strict ${verb} ${would_block.toLocaleString("en")} of ${plural(checked, "checked call")}`;
}

function rolloutText(rollout: Rollout): string {
  const { other_messages, repaired, not_checked, other_settings, not_known } = rollout;
  const { excused, offences, offences_left_out } = rollout;
  const others = other_messages === 0 ? "" : `, and ${plural(other_messages, "other message")}`;
  const also = [
    ...(excused === 0
      ? []
      : [`; the current settings allow ${excused.toLocaleString("en")} of these`]),
    ...(repaired === 0 ? [] : [`; repaired: ${repaired.toLocaleString("en")}`]),
    ...(not_checked === 0 ? [] : [`; not checked: ${plural(not_checked, "call")}`]),
    ...(other_settings === 0
      ? []
      : [`; checked with other settings: ${plural(other_settings, "call")}`]),
    ...(not_known === 0 ? [] : [`; unknown: ${plural(not_known, "call")}`]),
  ].join("");
  const end = offences.length === 0 ? "\n" : ":\n";
  return `${headline(rollout)}${others}${also}${end}${offences.map(line).join("")}${leftOut(offences_left_out)}`;
}

/** Reports what policy and pins in `warn` forwarded, if there is no file that lists what they forbid. */
function warnedText({ policy, tools }: Rollout): string {
  if (policy === 0) return "";
  const warned = tools.filter((tool) => tool.policy > 0).slice(0, MAX_LINES);
  return [
    `policy or pins would have blocked ${plural(policy, "call")}; strict does not change policy.mode and pin:\n`,
    ...warned.map((tool) => `  ${tool.policy} × ${safeText(nameOf(tool))}\n`),
  ].join("");
}

const DIRECTIONS = [
  ["input", "arguments"],
  ["output", "results"],
  ["protocol", "protocol"],
] as const;

/** How many tools to show to people; JSON has 1,000. */
const MAX_TOOLS = 100;

function calledIn({ tools }: Pick<Rollout, "tools">): readonly ToolRollout[] {
  return tools.filter(({ calls }) => calls > 0);
}

function nameOf({ server, tool }: Pick<ToolRollout, "server" | "tool">): string {
  return server === null ? tool : `${server}/${tool}`;
}

/** Shows the evidence of the records for each tool, by direction. */
function toolsText({ tools, tools_left_out }: Rollout): string {
  const called = calledIn({ tools });
  const shown = called.slice(0, MAX_TOOLS);
  const left = called.length - shown.length + tools_left_out;
  const unused = tools.length - called.length;
  const lines = shown.flatMap((tool) => [
    `\n${safeText(nameOf(tool))}: ${plural(tool.calls, "call")}\n`,
    ...directionLines(tool),
  ]);
  if (left > 0) lines.push(`\n${plural(left, "more tool")}; --server and --tool narrow it down\n`);
  if (unused > 0) lines.push(`\nnot called: ${plural(unused, "listed tool")}\n`);
  return lines.join("");
}

function directionLines(tool: ToolRollout): readonly string[] {
  const texts = DIRECTIONS.map(([direction]) => tool[direction].text);
  if (new Set(texts).size === 1) return [`  ${texts[0]}\n`];
  return DIRECTIONS.map(([direction, label]) => `  ${label.padEnd(9)}  ${tool[direction].text}\n`);
}

function leftOut(count: number): string {
  return count <= 0
    ? ""
    : `  and ${plural(count, "more combination")} of tool and rules; --server and --tool narrow it down\n`;
}

function line(offence: RolloutOffence): string {
  const { server, tool, direction, rule, outcome, undeclared, calls } = offence;
  const where = [server, tool].filter((name) => name !== null).join("/");
  const known = undeclared === "all" ? "undeclared" : (rule ?? outcome ?? "unknown");
  const what = outcome === "unknown" ? "unknown schema" : known;
  return `  ${calls} × ${what} on ${safeText(where || "-")} (${direction ?? "-"})\n`;
}

function policyHeadline({ would_block, calls }: PolicyRollout): string {
  const sent = `${plural(calls, "call")} that reached ${calls === 1 ? "its" : "their"} server`;
  return `policy would have blocked ${would_block.toLocaleString("en")} of ${sent}`;
}

function policyText(policy: PolicyRollout): string {
  const { offences, unknown, unknowns, left_out } = policy;
  const open = `${plural(unknown, "call")} could not be evaluated:\n`;
  const more = `${plural(left_out, "call")} of further tools and callers are not listed; --server and --tool narrow it down\n`;
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

/** How many lines of one kind to show to people; JSON has all. */
const MAX_LINES = 1_000;

function policyLine({ server, tool, caller, rule, reason, calls }: PolicyOffence): string {
  const where = [server, tool].filter((name) => name !== null).join("/");
  const who = caller === null ? "" : ` (caller ${caller})`;
  return `  ${calls} × ${rule} on ${safeText(where || "-")}${safeText(who)}: ${safeText(reason)}\n`;
}

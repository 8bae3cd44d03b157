import {
  parseActivityScope,
  type Rollout,
  type RolloutOffence,
  type Suggestion,
  suggestRules,
} from "@touchstone/gateway/activity";
import { CliExit, EXIT_FINDINGS, EXIT_USAGE } from "../exit.ts";
import { safeText } from "../terminal/safe-text.ts";
import { toJson, toYaml } from "../terminal/serialise.ts";
import { scopeInput } from "./filters.ts";
import {
  type ActivityIo,
  type Options,
  outputFormat,
  reportingActivityErrors,
  textOption,
} from "./options.ts";
import { PARTIAL, withoutRecords, withReader } from "./reader.ts";

const FORMATS = ["table", "json", "yaml"] as const;

/**
 * `touchstone activity rollout`: tells what strict would have blocked of what was recorded in warn.
 * `--suggest` adds the settings under which the known offenders pass.
 *
 * @throws CliExit 1 where `--fail-on blocked` is given and strict would have blocked something, 2 for
 *   a wrong option, 3 where the records cannot be read, or `--fail-on` is given and there are none
 */
export async function runRollout(io: ActivityIo, options: Options): Promise<void> {
  const format = outputFormat(options, FORMATS);
  const failOn = textOption(options, "failOn");
  if (failOn !== undefined && failOn !== "blocked") {
    throw new CliExit(EXIT_USAGE, `--fail-on: "${safeText(failOn.slice(0, 64))}" is not blocked`);
  }
  const scope = await reportingActivityErrors(() =>
    parseActivityScope(scopeInput(options), io.now()),
  );
  const rollout = await withReader(io, options, (reader) => reader.rollout(scope), PARTIAL);
  if (rollout === undefined) {
    if (failOn !== undefined) throw withoutRecords("looked at");
    return;
  }
  const suggestion = options["suggest"] === true ? suggestRules(rollout) : undefined;
  const answer = suggestion === undefined ? rollout : { ...rollout, suggestion };
  if (format === "json") io.stdout.write(toJson(answer, "lines"));
  else if (format === "yaml") io.stdout.write(toYaml(answer));
  else {
    io.stdout.write(rolloutText(rollout));
    if (suggestion !== undefined) io.stdout.write(suggestionText(suggestion));
  }
  if (suggestion !== undefined && isEmpty(suggestion)) {
    const why =
      suggestion.left.length > 0
        ? "no rule excuses what strict would have blocked"
        : "nothing is recorded that strict would have blocked";
    io.stderr.write(`There are no rules to suggest: ${why}.\n`);
  }
  if (failOn !== undefined && rollout.would_block + rollout.other_messages > 0) {
    throw new CliExit(EXIT_FINDINGS, headline(rollout));
  }
}

function isEmpty({ mcpServers }: Suggestion): boolean {
  return Object.keys(mcpServers).length === 0;
}

function suggestionText(suggestion: Suggestion): string {
  const { left, mcpServers } = suggestion;
  const rules = `Add to touchstone.json, to let these pass with a warning:\n${toJson({ mcpServers }, "lines")}`;
  const rest = left.length === 0 ? "" : `No rule excuses:\n${left.map(line).join("")}`;
  const text = `${isEmpty(suggestion) ? "" : rules}${rest}`;
  return text === "" ? "" : `\n${text}`;
}

function headline({ would_block, calls }: Rollout): string {
  const count = (number: number): string => number.toLocaleString("en");
  return `strict would have blocked ${count(would_block)} of ${count(calls)} ${calls === 1 ? "call" : "calls"}`;
}

function rolloutText(rollout: Rollout): string {
  const { other_messages, offences } = rollout;
  const others = other_messages === 0 ? "" : `, and ${other_messages} other messages`;
  const end = offences.length === 0 ? "\n" : ":\n";
  return `${headline(rollout)}${others}${end}${offences.map(line).join("")}`;
}

function line({ server, tool, direction, rule, outcome, calls }: RolloutOffence): string {
  const where = [server, tool].filter((name) => name !== null).join("/");
  const what = rule ?? outcome ?? "unknown";
  return `  ${calls} × ${what} on ${safeText(where || "-")} (${direction ?? "-"})\n`;
}

import type { DriftFinding, DriftReport, Unsure } from "@touchstone/gateway/activity";
import { safeText } from "../terminal/safe-text.ts";
import { terminalJson } from "../terminal/serialise.ts";
import { shellWord } from "../terminal/shell-word.ts";

const number = (count: number): string => count.toLocaleString("en");

/** Returns the most important result, in one line. */
export function headline({
  server,
  tool,
  results,
  refused,
  findings,
  partial,
}: DriftReport): string {
  const where = `${safeText(server)}/${safeText(tool)}`;
  const seen = `${number(results)} result${results === 1 ? "" : "s"} of ${where}`;
  const ways = `${findings.length} way${findings.length === 1 ? "" : "s"}`;
  const many = refused === results ? "all" : number(refused);
  const but = refused === 0 ? "" : `, which refused ${results === 1 ? "it" : `${many} of them`}`;
  if (findings.length > 0) return `${seen} differed in ${ways} from the schema${but}`;
  if (refused > 0)
    return `${seen} matched the compared parts of the schema${but} for another reason`;
  return partial
    ? `${seen} matched the compared parts of the schema`
    : `${seen} had what the schema declares, and no other members`;
}

const UNSURE: Readonly<Record<Unsure, string>> = {
  parts: "values under branches, conditions or patterns",
  values: "values that it limits or lists",
  items: "items of long arrays beyond the first 50",
  names: "members whose names were not kept",
  depth: "values below 8 levels, or too many to keep",
};

function proposal({ proposed_fits, proposed_unsure }: DriftReport): readonly string[] {
  if (proposed_fits) return ["A schema that fits:"];
  if (proposed_unsure.length === 0) {
    return ["A schema that fits better, but still refuses some of these results:"];
  }
  const open = proposed_unsure.map((what) => `  ${UNSURE[what]}`);
  return ["A schema that may fit. It is unknown whether it accepts all", ...open, "The schema:"];
}

/** Returns the response for people. */
export function driftText(answer: DriftReport): string {
  const lines = [`${headline(answer)}${answer.findings.length === 0 ? "." : ":"}`];
  lines.push(...answer.findings.map((finding) => `  ${line(finding)}`));
  if (answer.partial) {
    lines.push("Parts of the schema (branches, conditions, patterns) were not compared.");
  }
  if (answer.refused > 0 && (answer.partial || answer.findings.length === 0)) {
    const where = safeText(`--server ${shellWord(answer.server)} --tool ${shellWord(answer.tool)}`);
    lines.push("What it refused is in the records:");
    lines.push(`  touchstone activity list --type policy_decision ${where}`);
  }
  if (answer.findings.length > 0) {
    lines.push("", ...proposal(answer), terminalJson(answer.proposed, "lines").trimEnd());
  }
  return `${lines.join("\n")}\n`;
}

/** Longest limit of a schema that is shown, in UTF-16 code units. */
const MAX_SAYS = 60;

/** Returns a keyword as it is in the schema. */
function declaredAs(keyword: string, says: unknown): string {
  const text = JSON.stringify(says);
  if (text === undefined) return safeText(`"${keyword}"`);
  const shown = text.length > MAX_SAYS ? `${text.slice(0, MAX_SAYS - 1)}…` : text;
  return safeText(`"${keyword}": ${shown}`);
}

function kept(count: number, of: number): string {
  const within = `in ${number(of)}`;
  return count === 1
    ? `1 member ${within} whose name was not kept, as it may be data`
    : `${number(count)} members ${within} whose names were not stored because they may be data`;
}

function line({
  kind,
  path,
  count,
  of,
  types = [],
  declared = [],
  keyword = "",
  says,
  required,
  closed,
}: DriftFinding): string {
  const at = path === "" ? "(the result)" : safeText(path);
  const refused = closed === true ? "; the schema allows no others" : "";
  const share = `${number(count)} of ${number(of)}`;
  switch (kind) {
    case "never_came":
      return `${at} never occurred in ${number(of)}${required === true ? ", but is required" : ""}`;
    case "sometimes_missing":
      return `${at} is required, but was missing in ${share}`;
    case "undeclared":
      return `${at} is not declared, but occurred in ${share} (${types.join(", ")})${refused}`;
    case "unnamed":
      return `${at} had ${kept(count, of)}${refused}`;
    case "other_value":
      return `${at} broke ${declaredAs(keyword, says)} in ${share} results`;
    default:
      return `${at} was ${types.join(", ")} in ${share}; declared is ${safeText(declared.join(", ") || "nothing")}`;
  }
}

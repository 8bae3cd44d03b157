import { plural } from "@touchstone/util/plural";
import { findingLine } from "../findings/finding.ts";
import { safeText } from "../terminal/safe-text.ts";
import { openToolsText } from "../tools/openness.ts";
import type { BrokenContract, ServerExamination, UnknownSchemas } from "./examine.ts";

const MAX_BROKEN = 20;
const MAX_REPEATED = 20;
const MAX_UNKNOWN = 20;
const MAX_ADAPTED = 20;
const MAX_REFUSED = 20;

/** Returns the results for a server as text for people: a line for the server, then one for each problem. */
export function examinationText(found: ServerExamination): string {
  const { modes, preset, presetDiffers = [], wrapped } = found;
  const differs = presetDiffers.length === 0 ? "" : ` with ${presetDiffers.join(" and ")}`;
  const by =
    (preset === undefined ? "" : `, preset ${preset}${differs}`) +
    (wrapped === true ? " (by touchstone wrap in its entry)" : "");
  const lines = [
    `${safeText(found.server)}: ${found.transport} ${safeText(found.upstream)}`,
    `  ${found.reachable ? reached(found) : `cannot be reached: ${safeText(found.reason ?? "")}`}`,
    ...(found.stderr ?? []).map((line) => `    | ${safeText(line)}`),
    `  checks: input ${modes.input}, output ${modes.output}, protocol ${modes.protocol}${by}`,
    ...policyLines(found),
    ...(found.findings ?? []).map((finding) => `  ! ${safeText(findingLine(finding))}`),
    ...unusableLines(found),
    ...found.broken.slice(0, MAX_BROKEN).map(brokenLine),
  ];
  const more = found.broken.length - MAX_BROKEN;
  if (more > 0) lines.push(`  and ${more} more schemas that cannot be used`);
  const { repeated = [] } = found;
  for (const tool of repeated.slice(0, MAX_REPEATED)) {
    lines.push(`  ! ${safeText(tool)}: listed more than once; the last declaration counts`);
  }
  if (repeated.length > MAX_REPEATED) {
    lines.push(`  and ${repeated.length - MAX_REPEATED} more tools that are listed more than once`);
  }
  const { adapted = [], unknown = [] } = found;
  const refused = adapted.filter((tool) => tool.refused);
  const inOrder = [...refused, ...adapted.filter((tool) => !tool.refused)];
  for (const { tool, changes, refused } of inOrder.slice(0, MAX_ADAPTED)) {
    const said = changes.map((change) => safeText(change)).join("; ");
    lines.push(`  ${refused ? "!" : "~"} ${safeText(tool)}: ${said}`);
  }
  if (adapted.length > MAX_ADAPTED) {
    const more = inOrder.slice(MAX_ADAPTED);
    const still = more.filter((tool) => tool.refused).length;
    const text = still === 0 ? "" : `, ${still} of them still refused`;
    lines.push(`  and ${more.length} more tools that are adapted${text}`);
  }
  lines.push(...unknown.slice(0, MAX_UNKNOWN).map(unknownLine));
  if (unknown.length > MAX_UNKNOWN) {
    lines.push(`  and ${unknown.length - MAX_UNKNOWN} more tools that the server does not list`);
  }
  return `${lines.join("\n")}\n`;
}

function policyLines({ policy, tools }: ServerExamination): readonly string[] {
  if (policy === undefined) return [];
  const { mode, refused, unmatched } = policy;
  const named = refused.slice(0, MAX_REFUSED).map(({ tool }) => safeText(tool));
  const more = refused.length > MAX_REFUSED ? ", …" : "";
  const which = refused.length === 0 ? "" : `: ${named.join(", ")}${more}`;
  return [
    `  policy: ${mode}, ${refused.length} of ${tools} tools not allowed${which}`,
    ...unmatched
      .filter(({ level }) => level === "server")
      .map(({ setting, pattern }) => `  ! ${unmatchedText(setting, pattern)} of this server`),
  ];
}

/** Returns the message for a pattern that matches no tool. */
export function unmatchedText(setting: string, pattern: string): string {
  return `${setting}: ${safeText(JSON.stringify(pattern))} matches no tool`;
}

function reached(found: ServerExamination): string {
  const { identity = "", revision, tools = 0, outputSchemas = 0, listFails, undeclared } = found;
  if (listFails) {
    const why = safeText(found.reason ?? "");
    return `answers: ${safeText(identity)}, MCP ${revision}, but returns no list of tools: ${why}`;
  }
  const counted = `${tools} ${tools === 1 ? "tool" : "tools"}, ${outputSchemas} with an output schema`;
  const open = undeclared === undefined ? "" : openToolsText(undeclared);
  return `answers: ${safeText(identity)}, MCP ${revision}, ${counted}${open}`;
}

function unknownLine({ tool, reason, effect }: UnknownSchemas): string {
  const calls = tool === undefined ? "a call of a tool that it does not list" : "its calls: each";
  const advice =
    effect === "is blocked"
      ? 'set on_unknown_schema to "allow" for this server if it has such tools'
      : "strict blocks it, unless on_unknown_schema allows it";
  const subject = tool === undefined ? "" : `${safeText(tool)}: `;
  return `  ! ${subject}${safeText(reason)} (${calls} ${effect}; ${advice})`;
}

function unusableLines({ unusable }: ServerExamination): readonly string[] {
  if (unusable === undefined) return [];
  const { blocked, unchecked } = unusable;
  return [
    `  schemas that cannot be used: ${plural(blocked, "tool")} blocked, ${unchecked} left unchecked`,
  ];
}

function brokenLine({ tool, direction, fault, effect }: BrokenContract): string {
  const at = fault.path === "" ? "" : ` at ${safeText(fault.path)}`;
  const what = direction === "input" ? "its calls: " : "its results: ";
  return (
    `  ! ${safeText(tool)}: the ${direction} schema cannot be used${at}: ` +
    `${safeText(fault.message)} (${what}each ${effect})`
  );
}

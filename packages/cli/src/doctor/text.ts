import { findingLine } from "../findings/finding.ts";
import { safeText } from "../terminal/safe-text.ts";
import type { BrokenContract, Examination } from "./examine.ts";

const MAX_BROKEN = 20;
const MAX_REPEATED = 20;

/** What was found out about a server, for people: a line for the server, one for each trouble. */
export function examinationText(found: Examination): string {
  const { modes } = found;
  const lines = [
    `${safeText(found.server)}: ${found.transport} ${safeText(found.upstream)}`,
    `  ${found.reachable ? reached(found) : `cannot be reached: ${safeText(found.reason ?? "")}`}`,
    ...(found.stderr ?? []).map((line) => `    | ${safeText(line)}`),
    `  checks: input ${modes.input}, output ${modes.output}, protocol ${modes.protocol}`,
    ...(found.findings ?? []).map((finding) => `  ! ${safeText(findingLine(finding))}`),
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
  return `${lines.join("\n")}\n`;
}

function reached({ identity = "", revision, tools = 0, outputSchemas = 0 }: Examination): string {
  const counted = `${tools} ${tools === 1 ? "tool" : "tools"}, ${outputSchemas} with an output schema`;
  return `answers: ${safeText(identity)}, MCP ${revision}, ${counted}`;
}

function brokenLine({ tool, direction, fault, effect }: BrokenContract): string {
  const at = fault.path === "" ? "" : ` at ${safeText(fault.path)}`;
  const what = direction === "input" ? "its calls: " : "its results: ";
  return (
    `  ! ${safeText(tool)}: the ${direction} schema cannot be used${at}: ` +
    `${safeText(fault.message)} (${what}each ${effect})`
  );
}

import type { Problem } from "@touchstone/gateway/api";
import { visible } from "../text/visible.ts";
import { PARTS } from "./problem.ts";

/** What is known about the server, besides its name in the configuration. */
export interface AuthorFacts {
  /** The MCP revisions that the server used; absent if they are unknown. */
  readonly revisions?: readonly string[] | undefined;
  /** `name/version` as the server reported it; absent if that is unknown. */
  readonly identity?: string | undefined;
}

/**
 * Returns a problem as Markdown for the server's author. It contains the place, the rule, what was expected, and the
 * received type. Values of arguments and results, and names of callers, are not in it.
 */
export function authorText(
  problem: Problem,
  { revisions = [], identity }: AuthorFacts = {},
): string {
  const { server, tool, direction, place, rule, keyword, received, issue } = problem;
  const where = place === "" ? "the root" : code(place);
  const known = [
    ...(identity === undefined ? [] : [code(identity)]),
    ...(revisions.length === 0 ? [] : [`MCP ${revisions.join(", ")}`]),
  ];
  const spoken = known.length === 0 ? "" : ` (${known.join(", ")})`;
  const facts: readonly (readonly [name: string, text: string | undefined])[] = [
    ["Server", `${server === null ? "unknown" : code(server)}${spoken}`],
    ["Tool", code(tool)],
    ["Where", `${PARTS[direction]} of the call, at ${where}`],
    ["Rule", keyword === null ? code(rule) : `${code(rule)} (JSON Schema ${code(keyword)})`],
    ["Expected", line(issue.message)],
    ["Received", received === null ? undefined : `type ${code(received)}`],
    ["Schema", problem.schema_hash === null ? undefined : code(problem.schema_hash)],
    [
      "Calls",
      `${problem.calls.toLocaleString("en")}, ${problem.blocked.toLocaleString("en")} of them blocked`,
    ],
    ["First seen", problem.first],
    ["Last seen", problem.last],
  ];
  const list = facts.flatMap(([name, text]) => (text === undefined ? [] : `- ${name}: ${text}`));
  return `### ${line(problem.text)}\n\n${list.join("\n")}\n\nTouchstone compared these calls with the schema that the server declares. Values of arguments and results are left out.\n`;
}

/** Returns a text as Markdown on one line: characters with a meaning get a backslash. */
function line(text: string): string {
  return visible(text)
    .replace(/\s+/g, " ")
    .replace(/[\\`*_{}[\]<>#|!~]/g, "\\$&");
}

/** Returns a text as a code span, even if it contains backticks. */
function code(text: string): string {
  const shown = visible(text).replace(/\s+/g, " ");
  const longest = Math.max(0, ...[...shown.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const fence = "`".repeat(longest + 1);
  const space = shown.startsWith("`") || shown.endsWith("`") || shown === "" ? " " : "";
  return `${fence}${space}${shown}${space}${fence}`;
}

import { decodeUtf8, encodeUtf8, runSteps } from "@touchstone/core/advanced";
import {
  ADAPT_STEPS,
  type AdaptTarget,
  adaptListSteps,
  adaptViewFor,
} from "@touchstone/gateway/adapt";
import { CLIENT_NAMES, lintFor, PROVIDERS } from "@touchstone/protocol/lint";
import { LEVEL_OF, type ReportFinding } from "../findings/finding.ts";
import { CliExit, EXIT_USAGE } from "../io/exit.ts";
import { type ListedTools, toolFindingName } from "../tools/list-tools.ts";

/**
 * Returns the clients and model providers in a list of names.
 * @throws CliExit 2 for an unknown name
 */
export function adaptTargets(names: string): readonly AdaptTarget[] {
  const known: readonly AdaptTarget[] = [...new Set([...CLIENT_NAMES, ...PROVIDERS])];
  return names.split(",").map((word) => {
    const name = word.trim();
    const target = known.find((each) => each === name);
    if (target !== undefined) return target;
    const text = `--adapt: "${name}" is none of ${known.join(", ")}`;
    throw new CliExit(EXIT_USAGE, text);
  });
}

/**
 * Returns what the gateway would change in tools for clients, with all of `adapt` turned on and strict input
 * validation, and what these clients would still object to.
 */
export function adaptFindings(
  { tools, texts }: Pick<ListedTools, "texts" | "tools">,
  targets: readonly AdaptTarget[],
): readonly ReportFinding[] {
  const view = adaptViewFor(
    {
      unusableTools: "leave_out",
      outputSchema: "drop_unusable",
      pages: "pass",
      for: targets,
      steps: ADAPT_STEPS,
      mirrorContent: false,
      descriptions: { stripHidden: true },
    },
    undefined,
  );
  const sources = texts();
  const listed = tools.map((tool, at) => {
    const isNamed = typeof tool === "object" && tool !== null && "name" in tool;
    const name = isNamed && typeof tool.name === "string" ? tool.name : undefined;
    return { name, text: encodeUtf8(sources[at] ?? JSON.stringify(tool) ?? "null") };
  });
  const adapted = runSteps(adaptListSteps(listed, view, { isStrict: () => true }));
  const made = adapted.flatMap(({ text, changes }, at) =>
    changes.map(({ keyword, path, message, isLeft, kind }): ReportFinding => {
      const [said, fix] =
        text === undefined
          ? [
              `left out: ${message}`,
              `adapt.${keyword} leaves it out; fix the tool to have it listed.`,
            ]
          : isLeft === true
            ? [
                `not adapted: ${message}`,
                "The client gets it as the server lists it; fix the tool.",
              ]
            : [`adapted: ${message}`, fixFor(keyword, kind)];
      const subject = toolFindingName(tools[at], at);
      return { rule: `adapt-${keyword}`, level: "note", subject, path, message: said, fix };
    }),
  );
  const shown = adapted.flatMap(({ text }, at) => (text === undefined ? [] : [{ text, at }]));
  const found = lintFor(
    shown.map(({ text }): unknown => JSON.parse(decodeUtf8(text))),
    view.rules.takers,
  );
  const left = found.map(({ index, severity, path, message, fix }): ReportFinding => {
    const at = shown[index]?.at;
    const subject = at === undefined ? "" : toolFindingName(tools[at], at);
    const said = `${severity === "error" ? "still refused" : "may be refused"}: ${message}`;
    return { rule: "adapt-left", level: LEVEL_OF[severity], subject, path, message: said, fix };
  });
  return [...made, ...left];
}

function fixFor(keyword: string, kind: string | undefined): string {
  const set = `Set adapt.${keyword} for the server`;
  return kind === "wider"
    ? `${set}, and input_validation to strict, or fix the tool.`
    : `${set}, or fix the tool.`;
}

// What a run prints: a table for each group of cases.
import { isRight } from "./outcomes.mjs";

const LONGEST = 60;

/** Returns an outcome in a few words. */
export function words(outcome) {
  if (outcome === undefined) return "not run";
  const { kind, detail = "" } = outcome;
  if (kind === "forwarded")
    return detail.length > LONGEST ? `${detail.slice(0, LONGEST - 1)}…` : detail;
  if (kind === "not run" || detail === "") return kind;
  return `${kind} ${detail}`;
}

/**
 * Returns the expected outcome of a case for a checker: Touchstone in mode warn forwards everything that it can read.
 */
export function expectedOf(entry, name) {
  if (name === "touchstone-warn") return entry.warn ?? "forwarded";
  if (name === "touchstone-strict" && entry.touchstone !== undefined) return entry.touchstone.does;
  return entry.right;
}

/** Lists the cases in which a mode of Touchstone does not have the expected outcome. */
export function wrongOf(cases, name, outcomes) {
  return cases
    .filter((entry) => !isRight(entry, outcomes.get(entry.key) ?? {}, expectedOf(entry, name)))
    .map((entry) => {
      const expected = [expectedOf(entry, name), entry.with].filter(Boolean).join(" ");
      return `${entry.group}/${entry.key}: ${words(outcomes.get(entry.key))}; expected: ${expected}`;
    });
}

export const escaped = (text) => text.replace(/\|/g, "\\|").replace(/[<{*_`]/g, "\\$&");
export const row = (cells) => `| ${cells.join(" | ")} |`;

export function groupTable(group, cases, checkers, cell) {
  const some = cases.filter((entry) => entry.group === group);
  const head = ["case", "revision", "right", ...checkers.map(({ title }) => title)];
  return [
    row(head),
    row(head.map(() => "---")),
    ...some.map((entry) =>
      row([
        ...cell(entry),
        ...checkers.map(({ outcomes }) => escaped(words(outcomes.get(entry.key)))),
      ]),
    ),
  ].join("\n");
}

export const groupsOf = (cases) => [...new Set(cases.map(({ group }) => group))];
export const rightOf = (entry) => [entry.right, entry.with].filter(Boolean).join(" ");

/** Returns the tables for a terminal, with the checkers that did not run. */
export function textOf(cases, checkers) {
  const cell = (entry) => [entry.name, entry.revision, rightOf(entry)];
  return [
    ...groupsOf(cases).map((group) => `## ${group}\n\n${groupTable(group, cases, checkers, cell)}`),
    ...notRun(cases, checkers).map((line) => `not run: ${line}`),
  ].join("\n\n");
}

/** Lists why cases were not run, once for each checker, revision and reason. */
export function notRun(cases, checkers) {
  const lines = new Map();
  for (const { title, version, missing, outcomes } of checkers) {
    if (missing !== undefined) lines.set(`${title} ${version}: ${missing}`, undefined);
    else
      for (const entry of cases) {
        const outcome = outcomes.get(entry.key);
        if (outcome?.kind !== "not run") continue;
        const line = `${title} ${version}, ${entry.revision}: ${outcome.detail}`;
        lines.set(line, (lines.get(line) ?? 0) + 1);
      }
  }
  return [...lines].map(([line, count]) =>
    count === undefined ? line : `${line} (${count} ${count === 1 ? "case" : "cases"})`,
  );
}

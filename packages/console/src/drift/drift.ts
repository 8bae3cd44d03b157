import { numberOf, readList, textOf } from "../api/gateway.ts";
import { isObject } from "../json/object.ts";

/** One way in which results differ from the schema. */
export interface DriftFinding {
  /** RFC 6901 pointer; `*` stands for every item of an array. */
  readonly path: string;
  /** What differs, worded to follow the path. */
  readonly said: string;
}

/** How the results of a tool differ from its output schema. */
export interface Drift {
  readonly server: string;
  readonly tool: string;
  readonly since: string | null;
  readonly until: string | null;
  readonly results: number;
  /** How many results the schema rejected. */
  readonly refused: number;
  /** Whether branches, conditions and patterns were left out of the comparison. */
  readonly isPartial: boolean;
  readonly findings: readonly DriftFinding[];
  /** The schema extended to cover the results, as JSON; null if there is none. */
  readonly proposed: string | null;
  /** Whether it is known to accept all results. */
  readonly fits: boolean;
  /** What that is not known for, in words. */
  readonly unsure: readonly string[];
}

const UNSURE: Readonly<Record<string, string>> = {
  parts: "values under branches, conditions or patterns",
  values: "values that it limits or lists",
  items: "items of long arrays beyond the first 50",
  names: "members whose names were not kept",
  depth: "values below 8 levels, or too many to keep",
};
/** Maximum length of a schema limit that is shown. */
const MAX_SAYS = 60;

function textsOf(item: unknown, name: string): string {
  const values = isObject(item) ? item[name] : undefined;
  const texts = readList(values, (each) => (typeof each === "string" ? each : undefined)) ?? [];
  return texts.join(", ");
}

function keywordOf(item: Readonly<Record<string, unknown>>): string {
  const says = JSON.stringify(item["says"]);
  const name = `"${textOf(item, "keyword") ?? ""}"`;
  if (says === undefined) return name;
  return `${name}: ${says.length > MAX_SAYS ? `${says.slice(0, MAX_SAYS - 1)}…` : says}`;
}

/** Returns what a finding says, worded to follow its path. An unknown kind is shown by its name. */
function sentence(item: Readonly<Record<string, unknown>>): string {
  const [count, of] = ["count", "of"].map((name) =>
    (numberOf(item, name) ?? 0).toLocaleString("en"),
  );
  const closed = item["closed"] === true ? "; the schema allows no others" : "";
  switch (textOf(item, "kind")) {
    case "never_came":
      return `never came in ${of}${item["required"] === true ? ", but is required" : ""}`;
    case "sometimes_missing":
      return `is required, but was missing in ${count} of ${of}`;
    case "undeclared":
      return `is not declared, but occurred in ${count} of ${of} (${textsOf(item, "types")})${closed}`;
    case "unnamed":
      return `had ${count} members in ${of} whose names were not stored because they may be data${closed}`;
    case "other_value":
      return `broke ${keywordOf(item)} in ${count} of ${of} results`;
    case "other_type":
      return `was ${textsOf(item, "types")} in ${count} of ${of}; declared is ${textsOf(item, "declared") || "nothing"}`;
    default:
      return `${textOf(item, "kind") ?? "differs"}: ${count} of ${of}`;
  }
}

function readFinding(item: unknown): DriftFinding | undefined {
  const path = textOf(item, "path");
  return path === null || !isObject(item) ? undefined : { path, said: sentence(item) };
}

/** Reads the response of `GET /api/v1/activity/drift`; undefined if it is invalid. */
export function readDrift(answer: unknown): Drift | undefined {
  const [server, tool] = [textOf(answer, "server"), textOf(answer, "tool")];
  if (!isObject(answer) || server === null || tool === null) return undefined;
  const { proposed } = answer;
  return {
    server,
    tool,
    since: textOf(answer, "since"),
    until: textOf(answer, "until"),
    results: numberOf(answer, "results") ?? 0,
    refused: numberOf(answer, "refused") ?? 0,
    isPartial: answer["partial"] === true,
    findings: readList(answer["findings"], readFinding) ?? [],
    proposed: proposed === undefined ? null : JSON.stringify(proposed, null, 2),
    fits: answer["proposed_fits"] === true,
    unsure:
      readList(answer["proposed_unsure"], (each) =>
        typeof each === "string" ? (UNSURE[each] ?? each) : undefined,
      ) ?? [],
  };
}

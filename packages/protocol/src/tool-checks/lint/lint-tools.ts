import { decodeUtf8, isObject } from "@touchstone/core/advanced";
import { LATEST } from "../../revisions/revisions.ts";
import { safeOption, wireText } from "../../validators/wire.ts";
import type { Finding, UnassignedFinding } from "./finding.ts";
import { isSchema, schemaFindings } from "./schema-rules.ts";
import {
  describeFindings,
  headerFindings,
  nameFindings,
  outputDialectFindings,
  outputRootFindings,
  shapeFindings,
  sizeFindings,
} from "./tool-rules.ts";

/** Which revision tools are checked against, and how much is reported. */
export interface LintOptions {
  /**
   * The `protocolVersion` that defines the required shape of a tool. Default: the newest; what clients of older ones
   * refuse is then a warning.
   */
  readonly version?: string;
  /**
   * The most findings returned, the most severe first: a positive integer; anything else is ignored. Every tool is
   * examined, however many there are. Default: all, in the order of the tools.
   */
  readonly maxFindings?: number;
}

const MAX_DEPTH_FIX = "Pass the tools member of a tools/list result, parsed.";

function toolFindings(tool: unknown, given: string | undefined): readonly UnassignedFinding[] {
  const shape = shapeFindings(tool, given ?? LATEST.version);
  if (!isObject(tool)) return shape;
  const { name, inputSchema, outputSchema } = tool;
  return [
    ...shape,
    ...(typeof name === "string" ? nameFindings(name) : []),
    ...describeFindings(tool),
    ...sizeFindings(JSON.stringify(tool)),
    ...(isSchema(inputSchema) ? schemaFindings(inputSchema, "/inputSchema", true) : []),
    ...(isSchema(outputSchema) ? schemaFindings(outputSchema, "/outputSchema", false) : []),
    ...outputDialectFindings(tool),
    ...(given === undefined ? outputRootFindings(tool) : []),
    ...headerFindings(tool),
  ];
}

function nameOf(tool: unknown, index: number): string {
  return isObject(tool) && typeof tool["name"] === "string" ? tool["name"] : `#${index}`;
}

/** Keeps one finding for each place and rule, because the shape of a tool and its schema's metaschema overlap. */
function distinct(found: readonly UnassignedFinding[]): readonly UnassignedFinding[] {
  const places = new Set<string>();
  return found.filter(({ path, rule, severity }) => {
    const place = severity === "error" ? path : `${rule} ${path}`;
    if (places.has(place)) return false;
    places.add(place);
    return true;
  });
}

/** Returns a limit of at least 1, because hiding all findings would look like a success. */
function limitOf(most: unknown): number {
  const isLimit = typeof most === "number" && Number.isInteger(most) && most > 0;
  return isLimit ? most : Number.POSITIVE_INFINITY;
}

/**
 * Checks the tools of a `tools/list` result, one by one and in order: their shape, names, schemas and
 * descriptions. Never throws.
 * @param tools the `tools` member, as a parsed JSON value
 */
export function lintTools(tools: unknown, options: LintOptions = {}): readonly Finding[] {
  const given: unknown = safeOption(options, "version");
  const version = typeof given === "string" ? given : undefined;
  const maxFindings = limitOf(safeOption(options, "maxFindings"));
  const wire = wireText(tools, false);
  const value: unknown = "issue" in wire ? undefined : JSON.parse(decodeUtf8(wire.bytes));
  if (!Array.isArray(value)) {
    const message = "issue" in wire ? wire.issue.message : "the tools are not a list";
    const about = { tool: "", index: -1, path: "", fix: MAX_DEPTH_FIX } as const;
    return [{ ...about, rule: "tool-shape", severity: "error", message }];
  }
  const findings: Finding[] = [];
  const names = new Map<string, number>();
  for (const [index, tool] of value.entries()) {
    const name = nameOf(tool, index);
    const first = names.get(name);
    const twice: UnassignedFinding[] = first === undefined ? [] : [duplicate(name, first)];
    if (first === undefined) names.set(name, index);
    for (const found of distinct([...toolFindings(tool, version), ...twice])) {
      findings.push({ tool: name, index, ...found });
    }
  }
  return findings.length > maxFindings ? mostSevere(findings, maxFindings) : findings;
}

function mostSevere(findings: readonly Finding[], most: number): readonly Finding[] {
  const levels = ["error", "warning", "info"] as const;
  return levels
    .flatMap((wanted) => findings.filter(({ severity }) => severity === wanted))
    .slice(0, most);
}

function duplicate(name: string, first: number): UnassignedFinding {
  return {
    path: "/name",
    rule: "duplicate-name",
    severity: "error",
    message: `the tool at place ${first} has the name ${JSON.stringify(name.slice(0, 80))}, too`,
    fix: "Give each tool a name of its own; a client finds only one of them.",
  };
}

import { isObject, type JsonObject, runSteps } from "@touchstone/core/advanced";
import { withoutThrowing } from "../../../validators/wire.ts";
import { subschemaSteps } from "../walk.ts";
import { brokenSteps } from "./broken-schema.ts";
import {
  INPUT_SCHEMA_PATH,
  type Provider,
  type ProviderFound,
  type ProviderName,
  type ProviderRule,
} from "./provider.ts";
import { type ExaminedTool, providerSteps } from "./provider-findings.ts";
import { providersOf } from "./table.ts";

/** Something that a provider refuses or has trouble with. */
export interface ProviderFinding extends ProviderFound {
  readonly provider: ProviderName;
  readonly rule: ProviderRule;
  /** The tool's name, or `#` and its index in the list; empty if the finding is about the list. */
  readonly tool: string;
  /** The tool's index in the list, from 0; -1 if the finding is about the list. */
  readonly index: number;
}

/** How the client offers tools to models. */
export interface LintForOptions {
  /** What the client puts before the names of tools, such as `mcp__github__`. */
  readonly prefix?: string;
}

const MAX_FINDINGS = 10_000;

function* examine(
  tool: JsonObject,
  twin: number | undefined,
  prefix: string | undefined,
): Generator<void, ExaminedTool, void> {
  const { inputSchema, outputSchema } = tool;
  const places = isObject(inputSchema) ? yield* subschemaSteps(inputSchema, INPUT_SCHEMA_PATH) : [];
  const output = isObject(outputSchema) ? yield* subschemaSteps(outputSchema, "/outputSchema") : [];
  const broken = yield* brokenSteps(places);
  return { tool, twin, places, broken, output: yield* brokenSteps(output), prefix };
}

/** Returns the length of a list. A list behind a proxy may have a length that is not a number. */
function lengthOf(tools: unknown): number {
  const length: unknown = Array.isArray(tools) ? tools.length : 0;
  return typeof length === "number" ? length : 0;
}

function tooMany({ name, title, limits }: Provider, count: number): readonly ProviderFinding[] {
  const most = limits?.tools;
  if (most === undefined || count <= most) return [];
  return [
    {
      ...{ provider: name, rule: "tool-count", tool: "", index: -1, path: "" },
      severity: limits?.refusesMoreTools === true ? "error" : "warning",
      message: `${title} takes ${most} tools at a time; there are ${count}`,
      fix: "Serve fewer tools, or let users choose among them.",
    },
  ];
}

/**
 * Reports what providers will refuse in the tools of a `tools/list` result, tool by tool. Output schemas matter only
 * to clients, which compile them: they are not sent to any provider. Reports nothing about something that is not a
 * list, or about a tool with a getter or a proxy that throws: `lintTools` reports these.
 * @param tools the `tools` member, as parsed JSON; nothing is thrown for it, whatever it holds
 * @throws TypeError for an unknown provider, or if the providers are not a list
 */
export function lintFor(
  tools: unknown,
  providers: readonly ProviderName[],
  { prefix }: LintForOptions = {},
): readonly ProviderFinding[] {
  const takers = providersOf(providers);
  const count = withoutThrowing(
    () => lengthOf(tools),
    () => 0,
  );
  const findings = takers.flatMap((taker) => tooMany(taker, count));
  const named = new Map<string, number>();
  for (let index = 0; index < count && findings.length < MAX_FINDINGS; index += 1) {
    const found = withoutThrowing(
      () => findingsOf((tools as readonly unknown[])[index], index, takers, named, prefix),
      () => [],
    );
    findings.push(...found.slice(0, MAX_FINDINGS - findings.length));
  }
  return findings;
}

/** @param named the indexes of the earlier tools, by name; this tool's own is added */
function findingsOf(
  tool: unknown,
  index: number,
  takers: readonly Provider[],
  named: Map<string, number>,
  prefix: string | undefined,
): readonly ProviderFinding[] {
  if (!isObject(tool)) return [];
  const { name } = tool;
  const called = typeof name === "string" ? name : `#${index}`;
  const twin = typeof name === "string" ? named.get(name) : undefined;
  if (typeof name === "string" && twin === undefined) named.set(name, index);
  return runSteps(toolSteps(tool, takers, twin, prefix)).map((found) => {
    return { tool: called, index, ...found };
  });
}

/** A finding in a tool, and the provider that it is about. */
export type ToolFinding = Omit<ProviderFinding, "tool" | "index">;

function* toolSteps(
  tool: JsonObject,
  takers: readonly Provider[],
  twin: number | undefined,
  prefix: string | undefined,
): Generator<void, readonly ToolFinding[], void> {
  const examined = yield* examine(tool, twin, prefix);
  const findings: ToolFinding[] = [];
  for (const taker of takers) {
    for (const found of yield* providerSteps(taker, examined)) {
      findings.push({ provider: taker.name, ...found });
    }
  }
  return findings;
}

/**
 * {@link lintFor} for one tool, regardless of other tools in its list, in steps of a few milliseconds, except that each
 * schema is compiled in one. Never throws.
 */
export function* lintToolFor(
  tool: JsonObject,
  providers: readonly ProviderName[],
): Generator<void, readonly ToolFinding[], void> {
  return yield* toolSteps(tool, providersOf(providers), undefined, undefined);
}

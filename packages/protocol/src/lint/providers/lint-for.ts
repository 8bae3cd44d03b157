import { isObject, type JsonObject } from "@touchstone/core";
import { placesOf } from "../walk.ts";
import { brokenPlaces } from "./broken-schema.ts";
import { type ProviderFound, type ProviderName, type ProviderRule, TOP } from "./provider.ts";
import { type Examined, providerFindings } from "./provider-findings.ts";
import { providerOf } from "./table.ts";

/** Something that a provider refuses, or stumbles over. */
export interface ProviderFinding extends ProviderFound {
  readonly provider: ProviderName;
  readonly rule: ProviderRule;
  /** The tool's name, or `#` and its place in the list; empty where it is about the list. */
  readonly tool: string;
  /** The tool's place in the list, from 0; -1 where it is about the list. */
  readonly index: number;
}

const MAX_FINDINGS = 10_000;

function examine(tool: JsonObject, twin: number | undefined): Examined {
  const { inputSchema } = tool;
  const places = isObject(inputSchema) ? placesOf(inputSchema, TOP) : [];
  return { tool, twin, places, broken: brokenPlaces(places) };
}

/**
 * Tells what providers will refuse in the tools of a `tools/list` result, tool by tool. Output schemas are
 * not looked at: no provider is sent them. Of what is no list nothing is told: `lintTools` tells that it is none.
 * @param tools the `tools` member, as parsed JSON; whatever it holds, nothing is thrown for it
 * @throws TypeError for a provider that is not known
 */
export function lintFor(
  tools: unknown,
  providers: readonly ProviderName[],
): readonly ProviderFinding[] {
  const takers = providers.map(providerOf);
  const findings: ProviderFinding[] = [];
  if (!Array.isArray(tools)) return findings;
  for (const { name, title, limits } of takers) {
    const most = limits?.tools;
    if (most !== undefined && tools.length > most) {
      findings.push({
        ...{
          provider: name,
          rule: "tool-count",
          severity: "warning",
          tool: "",
          index: -1,
          path: "",
        },
        message: `${title} takes ${most} tools at a time; there are ${tools.length}`,
        fix: "Serve fewer tools, or let users choose among them.",
      });
    }
  }
  const named = new Map<unknown, number>();
  for (const [index, tool] of tools.entries()) {
    if (!isObject(tool)) continue;
    const { name } = tool;
    const called = typeof name === "string" ? name : `#${index}`;
    const twin = typeof name === "string" ? named.get(name) : undefined;
    if (twin === undefined) named.set(name, index);
    const examined = examine(tool, twin);
    for (const taker of takers) {
      for (const found of providerFindings(taker, examined)) {
        findings.push({ provider: taker.name, tool: called, index, ...found });
        if (findings.length >= MAX_FINDINGS) return findings;
      }
    }
  }
  return findings;
}

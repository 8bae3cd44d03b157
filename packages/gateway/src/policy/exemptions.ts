import { isPlaceKey, SCHEMA_RULES } from "@touchstone/core/advanced";
import type { Exemption, Exemptions } from "@touchstone/records/plain";
import type { ValidationSettings } from "../settings/validation.ts";

/** The issues that settings exempt at one level. */
type Excused = Pick<Exemption, "rules" | "places" | "undeclared">;

/** Settings by level, as a configuration has them. */
export interface SettingsByLevel {
  readonly settings: ValidationSettings;
  readonly servers: readonly {
    readonly name: string;
    /** `wrap`: another process runs it, with its own options. */
    readonly upstream?: { readonly type: string };
    readonly settings: ValidationSettings;
    readonly tools: ReadonlyMap<string, ValidationSettings>;
  }[];
}

/** Returns what the `rules` of settings forward in strict. An input or output without rules has no entry. */
export function exemptionsOf({ settings, servers }: SettingsByLevel): Exemptions {
  return (["input", "output"] as const).flatMap((direction) => {
    const excused = (of: ValidationSettings): Excused => {
      const { rules } = of[direction];
      const unknown = allowsUnknown(of) ? ["schema" as const] : [];
      const { undeclared } = of.input;
      if (direction === "input" && undeclared !== "allow") {
        return { rules: unknown, places: rules, undeclared };
      }
      if (Object.keys(rules).some(isPlaceKey)) return { rules: unknown, places: rules };
      const counted = SCHEMA_RULES.filter((rule) => (rules[rule] ?? "violation") !== "violation");
      return { rules: [...counted, ...unknown] };
    };
    const all = excused(settings);
    const ofTools: Exemption[] = [];
    const ofServers: Exemption[] = [];
    for (const { name, settings: own, tools } of servers) {
      const others = excused(own);
      const place = { direction, server: name };
      for (const [tool, its] of tools) {
        const own = excused(its);
        if (differ(own, others)) ofTools.push({ ...place, tool, ...own });
      }
      if (differ(others, all)) ofServers.push({ ...place, tool: undefined, ...others });
    }
    const ofAll = { direction, server: undefined, tool: undefined, ...all };
    const isSome = all.rules.length > 0 || all.places !== undefined;
    return [...ofTools, ...ofServers, ...(isSome ? [ofAll] : [])];
  });
}

/**
 * Returns whether strict forwards calls of tools with unknown schemas. A call is blocked if either direction blocks
 * it.
 */
function allowsUnknown({ input, output }: ValidationSettings): boolean {
  return input.onUnknownSchema === "allow" && output.onUnknownSchema === "allow";
}

function differ(some: Excused, others: Excused): boolean {
  const text = ({ rules, places = {}, undeclared }: Excused) =>
    JSON.stringify([
      rules,
      undeclared,
      Object.entries(places).sort(([a], [b]) => (a < b ? -1 : 1)),
    ]);
  return text(some) !== text(others);
}

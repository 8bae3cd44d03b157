import { isPlace, type Rules, SCHEMA_RULES, type SchemaRule } from "@touchstone/core";
import type { Direction, RuleTreatment, ValidationSettings } from "./settings.ts";

/** Issue classes that strict forwards in one direction: of a tool, of a server's other tools, or of all others. */
export interface Excuse {
  readonly direction: "input" | "output";
  /** Undefined: any server. */
  readonly server: string | undefined;
  /** Undefined: any tool. */
  readonly tool: string | undefined;
  readonly rules: readonly ExcusedRule[];
  /** All rules, if some name places. `rules` is then empty, because the issues of each record must be checked. */
  readonly places?: Rules;
  /** How undeclared arguments count, if something looks for them: then `places` is set, for only issues tell of them. */
  readonly undeclared?: RuleTreatment;
}

/** What settings excuse at one level. */
type Excused = Pick<Excuse, "rules" | "places" | "undeclared">;

/** `schema`: unknown schemas of a tool. */
export type ExcusedRule = SchemaRule | "schema";

/** What settings excuse. The first entry that matches a message applies to it; no other does. */
export type Excuses = readonly Excuse[];

/** Settings by level, as a configuration has them. */
export interface SettingsByPlace {
  readonly settings: ValidationSettings;
  readonly servers: readonly {
    readonly name: string;
    readonly settings: ValidationSettings;
    readonly tools: ReadonlyMap<string, ValidationSettings>;
  }[];
}

/** Returns what the `rules` of settings forward in strict. An input or output without rules has no entry. */
export function excusesOf({ settings, servers }: SettingsByPlace): Excuses {
  return (["input", "output"] as const).flatMap((direction) => {
    const excused = (of: ValidationSettings): Excused => {
      const { rules } = of[direction];
      const unknown = allowsUnknown(of) ? ["schema" as const] : [];
      const { undeclared } = of.input;
      if (direction === "input" && undeclared !== "allow") {
        return { rules: unknown, places: rules, undeclared };
      }
      if (Object.keys(rules).some(isPlace)) return { rules: unknown, places: rules };
      const counted = SCHEMA_RULES.filter((rule) => (rules[rule] ?? "violation") !== "violation");
      return { rules: [...counted, ...unknown] };
    };
    const all = excused(settings);
    const ofTools: Excuse[] = [];
    const ofServers: Excuse[] = [];
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
 * Returns whether strict forwards calls of tools with unknown schemas. One direction that blocks is enough to block.
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

/** Where a message was. */
export interface MessagePlace {
  readonly direction: Direction | null;
  readonly server: string | null;
  readonly tool: string | null;
}

/** Returns the classes that are excused in a message. */
export function excusedIn(excuses: Excuses, place: MessagePlace): readonly string[] {
  return excuseOf(excuses, place)?.rules ?? [];
}

/** Returns what is excused in a message. */
export function excuseOf(
  excuses: Excuses,
  { direction, server, tool }: MessagePlace,
): Excuse | undefined {
  return excuses.find(
    (excuse) =>
      excuse.direction === direction &&
      (excuse.server === undefined || excuse.server === server) &&
      (excuse.tool === undefined || excuse.tool === tool),
  );
}

import {
  type Direction,
  SCHEMA_RULES,
  type SchemaRule,
  type ValidationSettings,
} from "./settings.ts";

/** Classes of issues that strict forwards in one direction: of a tool, of a server's others, or of all others. */
export interface Excuse {
  readonly direction: "input" | "output";
  /** Undefined: of any server. */
  readonly server: string | undefined;
  /** Undefined: of any tool. */
  readonly tool: string | undefined;
  readonly rules: readonly ExcusedRule[];
}

/** `schema`: that a tool's schemas are not known. */
export type ExcusedRule = SchemaRule | "schema";

/** What settings excuse. The first that is about a message holds for it, and no other. */
export type Excuses = readonly Excuse[];

/** Settings by where they hold, as a configuration has them. */
export interface SettingsByPlace {
  readonly settings: ValidationSettings;
  readonly servers: readonly {
    readonly name: string;
    readonly settings: ValidationSettings;
    readonly tools: ReadonlyMap<string, ValidationSettings>;
  }[];
}

/** Returns what the `rules` of settings let pass in strict. Of an input or output without any there is no entry. */
export function excusesOf({ settings, servers }: SettingsByPlace): Excuses {
  return (["input", "output"] as const).flatMap((direction) => {
    const excused = (of: ValidationSettings): readonly ExcusedRule[] => [
      ...SCHEMA_RULES.filter((rule) => (of[direction].rules[rule] ?? "violation") !== "violation"),
      ...(allowsUnknown(of) ? ["schema" as const] : []),
    ];
    const all = excused(settings);
    const ofTools: Excuse[] = [];
    const ofServers: Excuse[] = [];
    for (const { name, settings: own, tools } of servers) {
      const others = excused(own);
      const place = { direction, server: name };
      for (const [tool, its] of tools) {
        const rules = excused(its);
        if (differ(rules, others)) ofTools.push({ ...place, tool, rules });
      }
      if (differ(others, all)) ofServers.push({ ...place, tool: undefined, rules: others });
    }
    const ofAll = { direction, server: undefined, tool: undefined, rules: all };
    return [...ofTools, ...ofServers, ...(all.length > 0 ? [ofAll] : [])];
  });
}

/** Returns whether strict lets calls pass of tools whose schemas are not known: one direction that blocks them is enough. */
function allowsUnknown({ input, output }: ValidationSettings): boolean {
  return input.onUnknownSchema === "allow" && output.onUnknownSchema === "allow";
}

function differ(some: readonly string[], others: readonly string[]): boolean {
  return some.join() !== others.join();
}

/** Where a message was. */
export interface MessagePlace {
  readonly direction: Direction | null;
  readonly server: string | null;
  readonly tool: string | null;
}

/** Returns the classes that are excused in a message. */
export function excusedIn(
  excuses: Excuses,
  { direction, server, tool }: MessagePlace,
): readonly string[] {
  const own = excuses.find(
    (excuse) =>
      excuse.direction === direction &&
      (excuse.server === undefined || excuse.server === server) &&
      (excuse.tool === undefined || excuse.tool === tool),
  );
  return own?.rules ?? [];
}

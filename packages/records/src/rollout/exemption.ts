import type { Rules, SchemaRule, Treatment } from "@touchstone/core/advanced";
import type { Direction } from "../record.ts";

/** Issue classes that strict forwards in one direction: for a tool, for a server's other tools, or for all others. */
export interface Exemption {
  readonly direction: "input" | "output";
  /** Undefined: any server. */
  readonly server: string | undefined;
  /** Undefined: any tool. */
  readonly tool: string | undefined;
  readonly rules: readonly ExemptRule[];
  /**
   * All rules, if some of them name places. `rules` is then empty, because the issues of each record must be checked.
   */
  readonly places?: Rules;
  /**
   * How undeclared arguments count, if a check looks for them: `places` is then set, because only the issues of each
   * record show them.
   */
  readonly undeclared?: Treatment;
}

/** `schema`: calls of a tool with unknown schemas. */
export type ExemptRule = SchemaRule | "schema";

/** The exemptions of the settings. Only the first entry that matches a message applies to it. */
export type Exemptions = readonly Exemption[];

/** Where a message belongs: its server, tool and direction. */
export interface MessagePlace {
  readonly direction: Direction | null;
  readonly server: string | null;
  readonly tool: string | null;
}

/** Returns the classes that are exempt in a message. */
export function exemptRules(excuses: Exemptions, place: MessagePlace): readonly string[] {
  return exemptionFor(excuses, place)?.rules ?? [];
}

/** Returns the exemption that applies to a message. */
export function exemptionFor(
  excuses: Exemptions,
  { direction, server, tool }: MessagePlace,
): Exemption | undefined {
  return excuses.find(
    (excuse) =>
      excuse.direction === direction &&
      (excuse.server === undefined || excuse.server === server) &&
      (excuse.tool === undefined || excuse.tool === tool),
  );
}

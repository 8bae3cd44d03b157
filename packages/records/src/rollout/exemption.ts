import type { Rules, SchemaRule, Treatment } from "@touchstone/core/advanced";
import type { Direction } from "../record.ts";

/** Issue classes that strict forwards in one direction: of a tool, of a server's other tools, or of all others. */
export interface Exemption {
  readonly direction: "input" | "output";
  /** Undefined: any server. */
  readonly server: string | undefined;
  /** Undefined: any tool. */
  readonly tool: string | undefined;
  readonly rules: readonly ExemptRule[];
  /** All rules, if some name places. `rules` is then empty, because the issues of each record must be checked. */
  readonly places?: Rules;
  /** How undeclared arguments count, if something looks for them: then `places` is set, for only issues tell of them. */
  readonly undeclared?: Treatment;
}

/** `schema`: unknown schemas of a tool. */
export type ExemptRule = SchemaRule | "schema";

/** What settings excuse. The first entry that matches a message applies to it; no other does. */
export type Exemptions = readonly Exemption[];

/** Where a message was. */
export interface MessagePlace {
  readonly direction: Direction | null;
  readonly server: string | null;
  readonly tool: string | null;
}

/** Returns the classes that are excused in a message. */
export function exemptRules(excuses: Exemptions, place: MessagePlace): readonly string[] {
  return exemptionFor(excuses, place)?.rules ?? [];
}

/** Returns what is excused in a message. */
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

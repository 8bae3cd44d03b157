import { closest } from "../../config/closest.ts";
import type { ServerConfig } from "../../config/config.ts";
import type { Modes, SomeModes, WrittenModes } from "../../config/edit/modes.ts";
import { quote } from "../../config/faults.ts";
import type { KnownContract } from "../../contracts/catalogue.ts";
import { modesOf } from "./modes.ts";

/** A tool that has settings of its own, and that its server has not listed. */
export interface UnlistedTool {
  readonly tool: string;
  /** The listed tool that may be meant. */
  readonly closest?: string;
  /** Those that would hold for it. */
  readonly modes: Modes;
  /** Those that the file sets for it itself. */
  readonly own: SomeModes;
}

/**
 * Returns the tools that have settings and are in no list that the server gave; none before it gave one. It may list them
 * later: this is not a fault, but often a name that was mistyped.
 * @param known what it listed; undefined before any list was seen
 */
export function unlistedTools(
  { name: server, tools }: ServerConfig,
  known: readonly KnownContract[] | undefined,
  written: WrittenModes,
): readonly UnlistedTool[] {
  if (known === undefined) return [];
  const listed = new Set(known.map(({ contract }) => contract.name));
  const names = [...listed];
  return [...tools]
    .filter(([tool]) => !listed.has(tool))
    .map(([tool, settings]) => {
      const meant = closest(tool, names);
      const own = written.at({ server, tool });
      return {
        tool,
        ...(meant === undefined ? {} : { closest: meant }),
        modes: modesOf(settings),
        own,
      };
    });
}

/** Returns what to tell whoever has just set something for such a tool. */
export function unlistedWarning(server: string, { tool, closest: meant }: UnlistedTool): string {
  const known = `${quote(server)} has not listed a tool named ${quote(tool)}`;
  const instead = meant === undefined ? "." : ` — did you mean ${quote(meant)}?`;
  return `${known}${instead} The settings hold once it lists one.`;
}

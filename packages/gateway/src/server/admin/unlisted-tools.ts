import { closest } from "@touchstone/util/closest";
import type { ServerConfig } from "../../config/config.ts";
import type { WrittenModes } from "../../config/edit/modes.ts";
import { quote } from "../../config/faults.ts";
import type { KnownContract } from "../../contracts/contract-catalogue.ts";
import type { UnlistedTool } from "../api/schemas.ts";
import { modesOf } from "./modes.ts";

/**
 * Returns the tools that have settings but that the server does not list; none before the first list. The server may
 * list them later, so this is not a fault, but often a typing error.
 * @param known the listed tools; undefined before the first list
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

/** Returns the warning for a client that has just changed the settings of such a tool. */
export function unlistedWarning(server: string, { tool, closest: meant }: UnlistedTool): string {
  const known = `${quote(server)} has not listed a tool named ${quote(tool)}`;
  const instead = meant === undefined ? "." : ` — did you mean ${quote(meant)}?`;
  return `${known}${instead} The settings take effect once it lists one.`;
}

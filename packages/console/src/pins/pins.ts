import type { ShownPin as Pin, PinWithDiff } from "@touchstone/gateway/api";
import { visible } from "../text/visible.ts";

/** The members that identify a declaration. */
export type PinItem = Readonly<Record<"server" | "kind" | "name" | "hash", string>>;

/** Returns the name of a declaration for people. */
export function declarationLabel({ kind, name }: Pick<PinItem, "kind" | "name">): string {
  if (kind === "instructions") return "Instructions of the server";
  return kind === "tool" ? name : `${kind.replace("_", " ")} ${name}`;
}

/** What the difference of a declaration shows. */
export function diffTitle({ state, previous }: Pick<Pin, "state" | "previous">): string {
  if (previous !== null) return "From what is approved to what is declared";
  return state === "approved"
    ? "What is approved"
    : "What is declared (nothing is approved under this name)";
}

/** The pins of one server, in the order in which an operator should examine them. */
export interface ServerPins {
  readonly server: string;
  readonly held: readonly Pin[];
  readonly recorded: readonly Pin[];
  readonly approved: readonly Pin[];
  readonly revoked: readonly Pin[];
}

/** Groups pins by their server; servers with something to decide are first. */
export function groupByServer(pins: readonly Pin[]): readonly ServerPins[] {
  const servers = [...new Set(pins.map(({ server }) => server))];
  return servers
    .map((server) => {
      const of = pins.filter((pin) => pin.server === server);
      return {
        server,
        held: of.filter(({ state }) => state === "held"),
        approved: of.filter(({ state }) => state === "approved"),
        recorded: of.filter(({ state }) => state === "recorded"),
        revoked: of.filter(({ state }) => state === "revoked"),
      };
    })
    .sort((a, b) => Number(b.held.length > 0) - Number(a.held.length > 0));
}

/** Returns what differs from what was approved, such as `2 changes: description, inputSchema.required`. */
export function changedText({
  changed,
  previous,
}: Pick<PinWithDiff, "changed" | "previous">): string {
  if (previous === null) return "New: no declaration of this name was approved";
  if (changed === null) return "It is unknown how much has changed: see the difference";
  const shown = changed.slice(0, MAX_CHANGED).map((name) => visible(name.slice(0, 100)));
  const more = changed.length > MAX_CHANGED ? ` and ${changed.length - MAX_CHANGED} more` : "";
  return `${changed.length} ${changed.length === 1 ? "change" : "changes"}: ${shown.join(", ")}${more}`;
}

/** Maximum number of changed members that a line lists. */
const MAX_CHANGED = 10;

import type {
  DirectionRollout,
  ServerDetail,
  ToolRollout,
  UnlistedTool,
} from "@touchstone/gateway/api";
import { DIRECTIONS, type Direction, type Modes, type ModesPatch } from "../servers/modes.ts";

/**
 * Whether a tool can be turned strict.
 *
 * - `strict`: it already is, for arguments, results and protocol
 * - `ready`: calls were checked, and strict would block none of them in any direction
 * - `violations`: strict would block some of the tool's calls
 * - `unknown`: a direction was not checked, or cannot be checked
 */
export type ReadyState = "strict" | "ready" | "violations" | "unknown";

/** One tool, with the evidence. */
export interface ToolReadiness extends ToolRollout {
  readonly state: ReadyState;
  /** The modes in effect for the tool; undefined if the gateway does not serve it now. */
  readonly modes: Modes | undefined;
  /** The modes that the configuration sets for the tool itself. */
  readonly own: Modes;
  /** The modes in effect for those tools of the server that set no modes. */
  readonly above: Modes;
}

/**
 * Returns the modes to set when a tool is switched. A tool that is no longer strict has no separate modes and follows
 * its server; only if the server is strict, the tool is set to `warn`.
 */
export function modesForSwitch(isStrict: boolean, above: Modes): ModesPatch {
  const mode = (direction: Direction) =>
    isStrict ? "strict" : above[direction] === "strict" ? "warn" : null;
  return Object.fromEntries(DIRECTIONS.map((direction) => [direction, mode(direction)]));
}

const keyOf = (server: string | null, tool: string): string => JSON.stringify([server, tool]);
const inOrder = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
const ORDER: readonly ReadyState[] = ["ready", "violations", "unknown", "strict"];

/**
 * Returns whether strict would block nothing in a direction: all checked calls passed, or there is nothing to check.
 */
function isFine({ state, reason }: DirectionRollout): boolean {
  const isOpen = state === "cannot_be_checked" && reason === "undeclared";
  return state === "safe" || state === "strict" || isOpen;
}

/** Returns whether modes are strict for arguments, results and protocol. */
export function isSetStrict(modes: Modes): boolean {
  return DIRECTIONS.every((direction) => modes[direction] === "strict");
}

function isSeenStrict(all: readonly DirectionRollout[]): boolean {
  return all.every(({ state }) => state === "strict");
}

function stateOf(tool: ToolRollout, modes: Modes | undefined): ReadyState {
  const all = DIRECTIONS.map((direction) => tool[direction]);
  // Options of `wrap` on the command line override the file.
  const isElsewhere = all.some(({ set_elsewhere: isSet }) => isSet);
  const isStrict = isElsewhere || modes === undefined ? isSeenStrict(all) : isSetStrict(modes);
  if (isStrict) return "strict";
  if (all.some(({ state }) => state === "would_block")) return "violations";
  const isChecked = all.some(({ state }) => state === "safe");
  return isChecked && all.every(isFine) ? "ready" : "unknown";
}

/** A tool that a server lists, or that the configuration has settings for. */
interface Declared {
  readonly server: string;
  readonly each: Pick<UnlistedTool, "tool" | "modes" | "own">;
  readonly isListed: boolean;
  readonly above: Modes;
}

/** Returns the evidence for a tool that has no records. */
function unseen(server: string, tool: string, isListed: boolean): ToolRollout {
  const none: DirectionRollout = {
    ...(isListed
      ? { state: "not_checked", text: "not checked: 0 calls" }
      : { state: "no_such_tool", text: "no such tool" }),
    ...{ checked: 0, would_block: 0, excused: 0, set_elsewhere: false },
    ...{ not_checked: 0, other_settings: 0, not_known: 0 },
  };
  return { server, tool, calls: 0, input: none, output: none, protocol: none, policy: 0 };
}

/**
 * Returns whether each tool that was called, or that a server declares, can be turned strict. Tools that can be
 * turned strict first are at the top, the most called of them first.
 */
export function readinessOf(
  tools: readonly ToolRollout[],
  servers: readonly ServerDetail[],
): readonly ToolReadiness[] {
  const declared = new Map<string, Declared>(
    servers.flatMap(({ name: server, modes: above, contracts, unlisted }) => [
      ...unlisted.map(
        (each) => [keyOf(server, each.tool), { server, each, isListed: false, above }] as const,
      ),
      ...contracts.map(
        (each) => [keyOf(server, each.tool), { server, each, isListed: true, above }] as const,
      ),
    ]),
  );
  const known = new Map(tools.map((each) => [keyOf(each.server, each.tool), each]));
  for (const [key, { server, each, isListed }] of declared) {
    if (!known.has(key)) known.set(key, unseen(server, each.tool, isListed));
  }
  const made = [...known].map(([key, evidence]): ToolReadiness => {
    const { each, above = {} } = declared.get(key) ?? {};
    return {
      ...evidence,
      state: stateOf(evidence, each?.modes),
      modes: each?.modes,
      own: each?.own ?? {},
      above,
    };
  });
  return made.toSorted(
    (a, b) =>
      ORDER.indexOf(a.state) - ORDER.indexOf(b.state) ||
      b.calls - a.calls ||
      inOrder(a.server ?? "", b.server ?? "") ||
      inOrder(a.tool, b.tool),
  );
}

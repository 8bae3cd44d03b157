import type { ServerDetail } from "@touchstone/gateway/api";
import { numberOf, readList, textOf } from "../api/untyped.ts";
import { isObject } from "../json/object.ts";
import type { Modes } from "../servers/modes.ts";
import { groupOffences, type Offence } from "./rollout.ts";

/** The calls of one tool in a period. */
export interface ToolCalls {
  readonly server: string;
  readonly tool: string;
  readonly calls: number;
}

/**
 * Whether a tool can be turned strict.
 *
 * - `strict`: it already is, in both directions
 * - `ready`: it was called, and strict would have blocked nothing
 * - `violations`: strict would have blocked some of its calls
 * - `unused`: nothing was recorded, so it is unknown
 */
export type ReadyState = "strict" | "ready" | "violations" | "unused";

/** One tool, with the evidence. */
export interface Readiness extends ToolCalls {
  readonly state: ReadyState;
  /** What strict would have blocked, by rule; a call may have broken several rules. */
  readonly violations: readonly (readonly [rule: string, calls: number])[];
  /** The modes in force for the tool; undefined if the gateway does not serve it now. */
  readonly modes: Modes | undefined;
  /** The modes that the configuration sets for the tool itself. */
  readonly own: Modes;
}

/** Reads the tools from the response of `GET /api/v1/activity/summary`; undefined if it is not such a response. */
export function readToolCalls(answer: unknown): readonly ToolCalls[] | undefined {
  return readList(isObject(answer) ? answer["tools"] : undefined, (item) => {
    const [server, tool, calls] = [
      textOf(item, "server"),
      textOf(item, "tool"),
      numberOf(item, "calls"),
    ];
    return server === null || tool === null || calls === null ? undefined : { server, tool, calls };
  });
}

const keyOf = (server: string | null, tool: string | null): string =>
  JSON.stringify([server, tool]);
const inOrder = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
const ORDER: readonly ReadyState[] = ["ready", "violations", "unused", "strict"];

function stateOf(calls: number, violations: number, modes: Modes | undefined): ReadyState {
  if (modes?.input === "strict" && modes.output === "strict") return "strict";
  if (violations > 0) return "violations";
  return calls > 0 ? "ready" : "unused";
}

/**
 * Returns whether each tool that was called, or that a server declares, can be turned strict. Tools that can come
 * first, the most called of them at the top.
 */
export function readinessOf(
  called: readonly ToolCalls[],
  offences: readonly Offence[],
  servers: readonly ServerDetail[],
): readonly Readiness[] {
  const calls = new Map(called.map((each) => [keyOf(each.server, each.tool), each]));
  const broken = new Map<string, Offence[]>();
  for (const offence of offences) {
    const key = keyOf(offence.server, offence.tool);
    broken.set(key, [...(broken.get(key) ?? []), offence]);
  }
  const declared = new Map(
    servers.flatMap(({ name, contracts, unlisted }) =>
      [...contracts, ...unlisted].map((each) => [keyOf(name, each.tool), { server: name, each }]),
    ),
  );
  const names = new Map<string, readonly [server: string, tool: string]>();
  for (const [key, { server, tool }] of calls) names.set(key, [server, tool]);
  for (const [key, { server, each }] of declared) names.set(key, [server, each.tool]);
  const made = [...names].map(([key, [server, tool]]): Readiness => {
    const violations = groupOffences(broken.get(key) ?? [], "rule").map(
      ({ rule, calls: count }) => [rule ?? "other", count] as const,
    );
    const known = declared.get(key)?.each;
    const count = calls.get(key)?.calls ?? 0;
    const state = stateOf(count, violations.length, known?.modes);
    return {
      server,
      tool,
      calls: count,
      state,
      violations,
      modes: known?.modes,
      own: known?.own ?? {},
    };
  });
  return made.toSorted(
    (a, b) =>
      ORDER.indexOf(a.state) - ORDER.indexOf(b.state) ||
      b.calls - a.calls ||
      inOrder(a.server, b.server) ||
      inOrder(a.tool, b.tool),
  );
}

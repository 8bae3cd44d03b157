import { numberOf, readList, textOf } from "../api/gateway.ts";
import { isObject } from "../json/object.ts";

/** Repairs at one location in a tool's arguments. */
export interface Repair {
  readonly server: string | null;
  readonly tool: string | null;
  readonly kind: string;
  /** RFC 6901 pointer; `*` stands for every item of an array. */
  readonly path: string;
  readonly calls: number;
}

/** Which arguments were repaired, how, and how often. */
export interface Repairs {
  readonly calls: number;
  readonly repaired: number;
  /** Most frequent first. */
  readonly repairs: readonly Repair[];
  /** The number of combinations that are not listed. */
  readonly leftOut: number;
  /** What the server's author or the prompt can change, by kind. */
  readonly hints: ReadonlyMap<string, string>;
}

function readRepair(item: unknown): Repair | undefined {
  const [kind, path] = [textOf(item, "kind"), textOf(item, "path")];
  if (kind === null || path === null) return undefined;
  const [server, tool] = [textOf(item, "server"), textOf(item, "tool")];
  return { server, tool, kind, path, calls: numberOf(item, "calls") ?? 0 };
}

/** Reads the response of `GET /api/v1/activity/repairs`; undefined if it is invalid. */
export function readRepairs(answer: unknown): Repairs | undefined {
  const repairs = isObject(answer) ? readList(answer["repairs"], readRepair) : undefined;
  if (!isObject(answer) || repairs === undefined) return undefined;
  const { hints } = answer;
  return {
    calls: numberOf(answer, "calls") ?? 0,
    repaired: numberOf(answer, "repaired") ?? 0,
    repairs,
    leftOut: numberOf(answer, "repairs_left_out") ?? 0,
    hints: new Map(
      Object.entries(isObject(hints) ? hints : {}).flatMap(([kind, hint]) =>
        typeof hint === "string" ? [[kind, hint] as const] : [],
      ),
    ),
  };
}

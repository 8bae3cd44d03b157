import { readList, textOf } from "../api/gateway.ts";
import { isObject } from "../json/object.ts";

/** What one setting has done with a tool. */
export interface SeenStep {
  readonly step: string;
  readonly kind: string;
  readonly setting: string;
  readonly reason: string;
}

/** What a client gets of a tool. */
export interface SeenTool {
  /** The server's name for it; null if it has none that can be read. */
  readonly name: string | null;
  /** The name that the client sees; null if it does not get the tool. */
  readonly listedAs: string | null;
  /** `same`, `changed` or `left_out`. */
  readonly state: string;
  readonly steps: readonly SeenStep[];
  /** From the server's definition to the client's; null if it was not asked for. */
  readonly diff: string | null;
}

/** A server's list of tools as a client gets it. */
export interface ClientList {
  /** When the server sent it; null if it has sent none. */
  readonly listedAt: string | null;
  readonly isPartial: boolean;
  readonly tools: readonly SeenTool[];
}

function readStep(item: unknown): SeenStep | undefined {
  const [step, kind] = [textOf(item, "step"), textOf(item, "kind")];
  if (step === null || kind === null) return undefined;
  const setting = textOf(item, "setting") ?? step;
  return { step, kind, setting, reason: textOf(item, "reason") ?? "" };
}

function readTool(item: unknown): SeenTool | undefined {
  const state = textOf(item, "state");
  if (!isObject(item) || state === null) return undefined;
  return {
    name: textOf(item, "name"),
    listedAs: textOf(item, "listedAs"),
    state,
    steps: readList(item["steps"], readStep) ?? [],
    diff: textOf(item, "diff"),
  };
}

/** Reads the response of `GET /api/v1/servers/{server}/view`; undefined if it is not one. */
export function readClientList(answer: unknown): ClientList | undefined {
  const tools = isObject(answer) ? readList(answer["tools"], readTool) : undefined;
  if (!isObject(answer) || tools === undefined) return undefined;
  return { listedAt: textOf(answer, "listedAt"), isPartial: answer["partial"] === true, tools };
}

/** What is done with how many tools, in words. */
export function countsText(tools: readonly SeenTool[]): string {
  const of = (state: string): number => tools.filter((tool) => tool.state === state).length;
  const all = `${tools.length.toLocaleString("en")} ${tools.length === 1 ? "tool" : "tools"}`;
  return `${all}: ${of("same")} as the server says it, ${of("changed")} changed, ${of("left_out")} left out`;
}

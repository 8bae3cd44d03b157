import { foldText } from "@touchstone/core/advanced";
import { hasCallLimit, type LevelLimits } from "./limits.ts";

/** The limits of one tool. */
type ToolLimit = LevelLimits & { readonly level: "tool"; readonly tool: string };

/** The limits of single tools of a server. */
export class ToolLimits {
  readonly #all: readonly ToolLimit[];
  readonly #folded: Map<string, ToolLimit[]> = new Map();

  constructor(limits: readonly ToolLimit[]) {
    this.#all = limits;
    for (const limit of limits) {
      const name = foldText(limit.tool, "name") ?? limit.tool;
      this.#folded.set(name, [...(this.#folded.get(name) ?? []), limit]);
    }
  }

  /**
   * Returns the limits that a call counts for: those of the tool, and of tools whose names a server may treat as the
   * same. If nobody can say which tool a server will run, the call counts for all of them.
   * @param tool its name; undefined if it is not known. One that is too long to be compared may be any tool's.
   */
  of(tool: string | undefined): readonly ToolLimit[] {
    const name = tool === undefined ? undefined : foldText(tool, "name");
    return name === undefined ? this.#all : (this.#folded.get(name) ?? []);
  }
}

type LimitedTools = ReadonlyMap<string, { readonly limits?: readonly LevelLimits[] }>;

const known: WeakMap<LimitedTools, ToolLimits | undefined> = new WeakMap();

/** Returns the limits on calls of single tools; undefined if none has its own. */
export function toolLimitsOf(tools: LimitedTools): ToolLimits | undefined {
  if (known.has(tools)) return known.get(tools);
  const limits = [...tools].flatMap(([tool, { limits: all = [] }]) =>
    all.flatMap((of) =>
      of.level === "tool" && hasCallLimit(of) ? [{ ...of, level: of.level, tool }] : [],
    ),
  );
  const made = limits.length === 0 ? undefined : new ToolLimits(limits);
  known.set(tools, made);
  return made;
}

import type { Issue, JsonRange } from "@touchstone/core";
import type { Frame } from "../frame.ts";
import { protocolIssue } from "../issue.ts";
import { MESSAGE_TABLES } from "../messages/tables.ts";
import { FRAME_MEMBERS } from "../plan.ts";
import { folded, lookalikeSteps, type Names, namesOf } from "./lookalike.ts";
import { OBJECTS, unlocatedBytes } from "./unlocated.ts";

const METHODS: ReadonlySet<string> = new Set([
  ...MESSAGE_TABLES.flatMap(({ methods }) => Object.keys(methods)),
  "notifications/tasks",
]);
const OF_RESULT = ["structuredContent", "isError", "resultType"] as const;
/** What says which tool is called, with what, and what is its result. */
const JUDGED: Readonly<Record<(typeof OBJECTS)[number], readonly string[]>> = {
  "": Object.keys(FRAME_MEMBERS),
  "/params": ["name", "arguments", "task", "taskId", "result"],
  "/params/result": OF_RESULT,
  "/result": [...OF_RESULT, "tools", "task", "taskId", "result"],
  "/result/result": OF_RESULT,
};

/** An object of a message, and the names of the members by which it is judged. */
interface Named {
  readonly at: string;
  readonly names: Names;
  /** Bytes that a member takes at least, with what stands around it, whose name is nearly one of them. */
  readonly least: number;
}

function named(at: (typeof OBJECTS)[number]): Named {
  const names = namesOf(JUDGED[at]);
  const shortest = Math.min(...[...names.keys()].map((name) => name.length));
  // Two quotes, a colon, a comma, and a value.
  return { at, names, least: shortest + 5 };
}

/** The protocol's methods, by what {@link foldedMethod} makes of them. */
const FOLDED_METHODS: ReadonlyMap<string, string> = new Map(
  [...METHODS].map((method) => [foldedMethod(method), method]),
);
/** No method of the protocol is nearly as long, whatever is added to it; longer ones are not folded. */
const MAX_METHOD = 4_096;

/** A method as a peer sees it that looks at no case, and trims white space and control characters. */
function foldedMethod(method: string): string {
  return folded(method.replace(/[\s\p{C}]+/gu, ""));
}

const NONE: readonly Issue[] = [];
const NAMED: readonly Named[] = OBJECTS.map(named);

/**
 * Finds the objects in which there is room for another member than those that were located: mostly there is none.
 * @param frame one that is JSON
 */
export function roomyObjects(frame: Frame): readonly Named[] {
  const unlocated = unlocatedBytes(frame);
  return NAMED.filter(({ least }, i) => (unlocated[i] as number) >= least);
}

/**
 * Members of a message that are called nearly like one by which it is judged: a peer that takes them for
 * that reads another call, or another result, than the one that was judged. Looked for in the message
 * itself, and in the params and results of MCP's own methods.
 * @param frame one that is JSON
 * @param requestMethod the method of the request that a response answers
 * @param roomy those of {@link roomyObjects}
 */
export function* nearNames(
  frame: Frame,
  requestMethod: string | undefined,
  roomy: readonly Named[],
): Generator<void, readonly Issue[], void> {
  const known = METHODS.has(frame.method ?? requestMethod ?? "");
  const issues: Issue[] = [];
  for (const { at, names } of roomy) {
    const range = at === "" ? frame.scan.root : known ? frame.range(at) : undefined;
    if (range !== undefined) issues.push(...(yield* nearIn(frame, range, at, names)));
  }
  return issues;
}

/**
 * A method that is spelled nearly like one of the protocol's (`Tools/Call`, `tools/call` with a space or a NUL at
 * the end): a peer that takes it for that one runs what was not checked as such.
 */
export function nearMethod({ method }: Pick<Frame, "method">): readonly Issue[] {
  if (method === undefined || METHODS.has(method) || method.length > MAX_METHOD) return NONE;
  const name = FOLDED_METHODS.get(foldedMethod(method));
  if (name === undefined) return NONE;
  const message = `the method is nearly "${name}", which some clients and servers take it for`;
  return [protocolIssue("/method", message, "const")];
}

/** At most one for an object. */
function* nearIn(
  frame: Frame,
  range: JsonRange,
  at: string,
  names: Names,
): Generator<void, Issue[], void> {
  const found = yield* lookalikeSteps(frame, range, (key) => {
    const name = names.get(folded(key));
    return name === key ? undefined : name;
  });
  if (found === undefined) return [];
  const message = `a member's name is nearly "${found}", which some clients and servers take it for`;
  return [protocolIssue(at, message, "propertyNames")];
}

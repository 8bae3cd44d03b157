import {
  foldText,
  type Issue,
  type JsonRange,
  MAX_FOLDED,
  tooLongToFold,
  WORDS_PER_MEMBER,
} from "@touchstone/core/advanced";
import type { Frame } from "../frame.ts";
import { protocolIssue } from "../issue.ts";
import { MESSAGE_TABLES } from "../messages/tables.ts";
import { FRAME_MEMBERS, FRAME_POINTERS } from "../plan.ts";
import {
  type FoldedNames,
  foldNames,
  LONG_NAME,
  lookalikeName,
  lookalikeSteps,
} from "./lookalike-names.ts";

/** Objects of a message whose members are located, starting with the message itself. */
const OBJECTS = ["", "/params", "/params/result", "/result", "/result/result"] as const;

/** By number of a located member: which of these objects contains it, and which one it is; -1 for none. */
const INSIDE = Int8Array.from(FRAME_POINTERS, (pointer) =>
  indexOf(pointer.slice(0, pointer.lastIndexOf("/"))),
);
const ITSELF = Int8Array.from(FRAME_POINTERS, indexOf);
/** By number: the bytes of a member besides its value: its name, two quotes, a colon and a comma. */
const AROUND = Uint8Array.from(
  FRAME_POINTERS,
  (pointer) => pointer.length - pointer.lastIndexOf("/") - 1 + 4,
);
/** Bytes of an object besides its members, as each member is counted with a comma. */
const BRACKETS = 1;
/** Shared by all messages, because it is needed for each of them. */
const left = new Float64Array(OBJECTS.length);

function indexOf(pointer: string): number {
  return (OBJECTS as readonly string[]).indexOf(pointer);
}

/**
 * Returns how many bytes of each of {@link OBJECTS} do not belong to a located member: other members, white space and
 * escapes in names. For an object that was not located it is at most 0. The returned array is valid until the next
 * call.
 */
function unlocatedBytes({ scan: { root, members } }: Frame): ArrayLike<number> {
  const { words } = members;
  left.fill(0);
  left[0] = root.end - root.start - BRACKETS;
  for (let i = 0; i < words.length; i += WORDS_PER_MEMBER) {
    const number = words[i] as number;
    const size = (words[i + 2] as number) - (words[i + 1] as number);
    const inside = INSIDE[number] as number;
    const itself = ITSELF[number] as number;
    if (inside >= 0) left[inside] = (left[inside] as number) - size - (AROUND[number] as number);
    if (itself > 0) left[itself] = (left[itself] as number) + size - BRACKETS;
  }
  return left;
}

const METHODS: ReadonlySet<string> = new Set([
  ...MESSAGE_TABLES.flatMap(({ methods }) => Object.keys(methods)),
  "notifications/tasks",
]);
const OF_RESULT = ["structuredContent", "isError", "resultType"] as const;
/**
 * The members that determine which tool is called, its arguments and its result, and the questions and answers of a
 * form.
 */
const JUDGED: Readonly<Record<(typeof OBJECTS)[number], readonly string[]>> = {
  "": Object.keys(FRAME_MEMBERS),
  "/params": [
    ...["name", "arguments", "task", "taskId", "result"],
    ...["inputResponses", "requestState", "requestedSchema"],
  ],
  "/params/result": OF_RESULT,
  "/result": [
    ...[...OF_RESULT, "tools", "task", "taskId", "result"],
    ...["inputRequests", "requestState"],
  ],
  "/result/result": OF_RESULT,
};

/** An object of a message, and the member names that it is judged by. */
interface Named {
  readonly at: string;
  readonly names: FoldedNames;
  /** The fewest bytes, including the punctuation around it, of a member whose name is close to one of them. */
  readonly least: number;
}

function named(at: (typeof OBJECTS)[number]): Named {
  const names = foldNames(JUDGED[at]);
  const shortest = Math.min(...[...names.keys()].map((name) => name.length));
  // Two quotes, a colon, a comma, and a value.
  return { at, names, least: shortest + 5 };
}

/** The members of a user's response to a form. Those of other results that have these names are not checked. */
const OF_FORM: FoldedNames = foldNames(["action", "content"]);

/** The protocol's methods, by the form in which lenient peers compare them. */
const FOLDED_METHODS: ReadonlyMap<string, string> = new Map(
  [...METHODS].map((method) => [foldText(method, "method") ?? method, method]),
);

const NONE: readonly Issue[] = [];
const NAMED: readonly Named[] = OBJECTS.map(named);

/**
 * Finds the objects that have room for members other than the located ones. Usually there are none.
 * @param frame one that is JSON
 */
export function objectsWithOtherMembers(frame: Frame): readonly Named[] {
  const unlocated = unlocatedBytes(frame);
  return NAMED.filter(({ least }, i) => (unlocated[i] as number) >= least);
}

/**
 * Finds members of a message whose names are close to one that the message is judged by. A peer that mistakes them
 * for it reads a different call, or a different result, than the one that was judged. Searches the message itself,
 * and the params and results of MCP's own methods.
 * @param frame one that is JSON
 * @param requestMethod the method of the request that a response belongs to
 * @param roomy the result of {@link objectsWithOtherMembers}
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
    const isForm = at === "/result" && requestMethod === "elicitation/create";
    if (range !== undefined) {
      issues.push(...(yield* nearIn(frame, range, at, isForm ? OF_FORM : names)));
    }
  }
  return issues;
}

/**
 * Reports a method whose spelling is close to one of the protocol's (`Tools/Call`, `tools/call` with a space or a NUL
 * at the end), or is too long to be compared with them. A peer that mistakes it for that method runs something that
 * was not checked as such.
 */
export function nearMethod({ method }: Pick<Frame, "method">): readonly Issue[] {
  if (method === undefined || METHODS.has(method)) return NONE;
  const compared = foldText(method, "method");
  if (compared === undefined) {
    const message = `the method ${tooLongToFold(method)}: send a shorter one`;
    return [protocolIssue("/method", message, "maxLength")];
  }
  const name = FOLDED_METHODS.get(compared);
  if (name === undefined) return NONE;
  const message = `the method is nearly "${name}", and some clients and servers accept it as that`;
  return [protocolIssue("/method", message, "const")];
}

/** Reports at most one per object. */
function* nearIn(
  frame: Frame,
  range: JsonRange,
  at: string,
  names: FoldedNames,
): Generator<void, Issue[], void> {
  const found = yield* lookalikeSteps(frame, range, names, (key) => {
    const name = lookalikeName(key, names);
    return name === key ? undefined : name;
  });
  if (found === undefined) return [];
  if (found === LONG_NAME) {
    const message = `a member's name has more than ${MAX_FOLDED} characters, so it cannot be compared with those of the protocol: send a shorter one`;
    return [protocolIssue(at, message, "propertyNames")];
  }
  const message = `a member's name is nearly "${found}", and some clients and servers accept it as that`;
  return [protocolIssue(at, message, "propertyNames")];
}

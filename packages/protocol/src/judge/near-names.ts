import { type Issue, type JsonRange, MEMBER_WORDS, skipQuoted, skipSpace } from "@touchstone/core";
import { COMMA, OPEN_OBJECT, QUOTE } from "../bytes.ts";
import type { Frame } from "../frame.ts";
import { protocolIssue } from "../issue.ts";
import { MESSAGE_TABLES } from "../messages/tables.ts";
import { FRAME_MEMBERS } from "../plan.ts";
import { OBJECTS, unlocatedBytes } from "./unlocated.ts";

/** Names as they are written, by what {@link folded} makes of them. */
type Names = ReadonlyMap<string, string>;

const METHODS: ReadonlySet<string> = new Set([
  ...MESSAGE_TABLES.flatMap(({ methods }) => Object.keys(methods)),
  "notifications/tasks",
]);
/** Far more than the longest name has, be each of its characters an escape. */
const LONGEST_KEY = 256;
/** A long s, the sign for Kelvin and the two i of Turkish, which are another's letter in another case. */
const ODD_LETTERS: readonly (readonly [RegExp, string])[] = [
  [/\u017f/g, "s"],
  [/\u212a/g, "k"],
  [/[\u0130\u0131]/g, "i"],
];

/**
 * A name as the readers see it that tell names apart least: Go's `encoding/json` and .NET look at no case
 * and take some letters for others, some of Go's read over NULs at the end (GHSA-wvj2-96wp-fq3f,
 * GHSA-q382-vc8q-7jhj), and models in Python have each name with underscores as well.
 */
function folded(name: string): string {
  let text = name.replace(/[\0_]/g, "");
  for (const [letter, other] of ODD_LETTERS) text = text.replace(letter, other);
  return text.toLowerCase();
}

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
  const names = new Map(JUDGED[at].map((name) => [folded(name), name]));
  const shortest = Math.min(...[...names.keys()].map((name) => name.length));
  // Two quotes, a colon, a comma, and a value.
  return { at, names, least: shortest + 5 };
}

const NONE: readonly Issue[] = [];
const NAMED: readonly Named[] = OBJECTS.map(named);

/**
 * Members of a message that are called nearly like one by which it is judged: a peer that takes them for
 * that reads another call, or another result, than the one that was judged. Looked for in the message
 * itself, and in the params and results of MCP's own methods.
 * @param frame one that is JSON
 * @param requestMethod the method of the request that a response answers
 */
export function nearNames(frame: Frame, requestMethod: string | undefined): readonly Issue[] {
  const unlocated = unlocatedBytes(frame);
  // Mostly every member is one that was located, and there is no room for another one.
  const roomy = NAMED.filter(({ least }, i) => (unlocated[i] as number) >= least);
  if (roomy.length === 0) return NONE;
  const known = METHODS.has(frame.method ?? requestMethod ?? "");
  return roomy.flatMap(({ at, names }) => {
    if (at !== "" && !known) return NONE;
    const range = at === "" ? frame.scan.root : frame.range(at);
    return range === undefined ? NONE : nearIn(frame, range, at, names);
  });
}

/** At most one for an object. */
function nearIn(frame: Frame, range: JsonRange, at: string, names: Names): Issue[] {
  const found = lookalike(frame, range, (key) => {
    const name = names.get(folded(key));
    return name === key ? undefined : name;
  });
  if (found === undefined) return [];
  const message = `a member's name is nearly "${found}", which some clients and servers take it for`;
  return [protocolIssue(at, message, "propertyNames")];
}

/** By where they stand: what says whose message it is, and which request it is about. */
const ROUTING: readonly (readonly [string, Names])[] = [
  ["/params", new Map([["_meta", "_meta"]])],
  ["/params/_meta", namesOf("progressToken")],
];
const ROUTING_MESSAGE = namesOf("id", "method", "params");

/**
 * A member by which a message is sent on, where it stands in it twice, or once more by nearly the same name. A
 * server that takes the other one answers, or stops, another client's request where several share it.
 */
export function routingTwin(frame: Frame): string | undefined {
  if (frame.scan.error !== undefined) return undefined;
  const twin = (range: JsonRange | undefined, names: Names): string | undefined =>
    range && lookalike(frame, range, (key) => names.get(key) ?? names.get(folded(key)));
  const own = twin(frame.scan.root, ROUTING_MESSAGE);
  return own ?? ROUTING.map(([at, names]) => twin(frame.range(at), names)).find(Boolean);
}

/** The first that `named` gives for a key of an object, of those that were not located. */
function lookalike(
  frame: Frame,
  { start, end }: JsonRange,
  named: (key: string) => string | undefined,
): string | undefined {
  const { bytes } = frame;
  if (bytes[start] !== OPEN_OBJECT) return undefined;
  let i = skipSpace(bytes, start + 1, end);
  while (bytes[i] === QUOTE) {
    const behind = skipQuoted(bytes, i);
    const value = skipSpace(bytes, skipSpace(bytes, behind, end) + 1, end);
    const known = endOfKnown(frame, value);
    const isNear = known === undefined && behind - i <= LONGEST_KEY;
    const name = isNear ? named(keyAt(frame, i, behind)) : undefined;
    if (name !== undefined) return name;
    i = skipSpace(bytes, known ?? skipValue(bytes, value, end), end);
    if (bytes[i] !== COMMA) break;
    i = skipSpace(bytes, i + 1, end);
  }
  return undefined;
}

/** Behind the value that begins here, where it is one that was located; mostly all are. */
function endOfKnown({ scan }: Frame, value: number): number | undefined {
  const { words } = scan.members;
  for (let i = 0; i < words.length; i += MEMBER_WORDS) {
    if (words[i + 1] === value) return words[i + 2];
  }
  return undefined;
}

/** The key whose quotes stand here. */
function keyAt(frame: Frame, start: number, end: number): string {
  const text = frame.text({ start, end });
  return text.includes("\\") ? (JSON.parse(text) as string) : text.slice(1, -1);
}

/** Behind the value that begins here, at the comma or bracket that follows it. */
function skipValue(bytes: Uint8Array, start: number, end: number): number {
  let depth = 0;
  for (let i = start; i < end; ) {
    const byte = bytes[i] as number;
    if (depth === 0 && (byte === COMMA || (byte | 0x20) === 0x7d)) return i;
    // '[' and '{' differ in one bit, and so do the brackets that close them.
    if ((byte | 0x20) === 0x7b) depth += 1;
    else if ((byte | 0x20) === 0x7d) depth -= 1;
    i = byte === QUOTE ? skipQuoted(bytes, i) : i + 1;
  }
  return end;
}

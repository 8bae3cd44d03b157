import { MAX_FOLDED, takeSteps } from "@touchstone/core";
import type { Frame } from "../frame.ts";
import { META_SUBSCRIPTION_ID } from "../plan.ts";
import { LONG_NAME, lookalikeSteps, type Names, nameFor, namesOf } from "./lookalike.ts";

/** The name of a member that is in a message twice, or {@link LONG_NAME} if one is too long to know. */
export type Twin = string | typeof LONG_NAME;

/** Returns what is wrong with a message that has a twin, as a sentence. */
export function twinText(twin: Twin): string {
  return twin === LONG_NAME
    ? `a member's name has more than ${MAX_FOLDED} characters, so it cannot be compared with others`
    : `"${twin}" is in the message twice, or again under a similar name`;
}

/** By location: the members that determine whose message it is, and which request it refers to. */
const routing = (members: readonly string[]): readonly (readonly [string, Names])[] => [
  ["/params", new Map([["_meta", "_meta"], ...namesOf(members)])],
  ["/params/_meta", namesOf(["progressToken", META_SUBSCRIPTION_ID])],
];
const ROUTING = routing(["requestId", "progressToken"]);
const WITH_TASKS = routing(["requestId", "progressToken", "taskId"]);
const ROUTING_MESSAGE = namesOf(["id", "method", "params"]);

/**
 * Returns a member used for routing the message if it appears twice, or again under nearly the same name. If several
 * clients share a server, a server that uses the other one responds to, or stops, another client's request.
 * @param withTasks whether the id of a task counts as well
 */
export function routingTwin(frame: Frame, withTasks = false): Twin | undefined {
  return takeSteps(routingTwinSteps(frame, withTasks));
}

/** Does the same as {@link routingTwin}, in steps. */
export function* routingTwinSteps(
  frame: Frame,
  withTasks = false,
): Generator<void, Twin | undefined, void> {
  if (frame.scan.error !== undefined) return undefined;
  const own = yield* lookalikeSteps(frame, frame.scan.root, ...twinNamed(ROUTING_MESSAGE));
  if (own !== undefined) return own;
  for (const [at, names] of withTasks ? WITH_TASKS : ROUTING) {
    const range = frame.range(at);
    const twin = range && (yield* lookalikeSteps(frame, range, ...twinNamed(names)));
    if (twin !== undefined) return twin;
  }
  return undefined;
}

const CALLING_MESSAGE = namesOf(["method", "params"]);
const CALLING_PARAMS = namesOf(["name"]);
const CALLING_ARGUMENTS = namesOf(["name", "arguments"]);

/** What {@link findCallTwins} found, by the scans of the frames. */
const found: WeakMap<Frame["scan"], CallTwins> = new WeakMap();

interface CallTwins {
  /** Of the members that name the tool. */
  readonly named: Twin | undefined;
  /** Of these and of `arguments`. */
  readonly withArguments: Twin | undefined;
}

/**
 * Returns a member that determines whether a client's message calls a tool, and which one, if it appears twice, or
 * again under nearly the same name. A server that uses the other one runs a different tool than the message seems to
 * call.
 * @param withArguments whether a second `arguments` counts as well
 */
export function callTwin(frame: Frame, withArguments: boolean = false): Twin | undefined {
  const known = found.get(frame.scan);
  if (known === undefined) return takeSteps(callTwinSteps(frame, withArguments));
  return withArguments ? known.withArguments : known.named;
}

/** Does the work of {@link callTwin} in steps, which then knows the result for this frame. */
export function* findCallTwins(frame: Frame): Generator<void, void, void> {
  const named = yield* callTwinSteps(frame, false);
  found.set(frame.scan, { named, withArguments: yield* callTwinSteps(frame, true) });
}

function* callTwinSteps(
  frame: Frame,
  withArguments: boolean,
): Generator<void, Twin | undefined, void> {
  if (frame.scan.error !== undefined) return undefined;
  const { params } = frame.ranges;
  const own = yield* lookalikeSteps(frame, frame.scan.root, ...twinNamed(CALLING_MESSAGE));
  const names = withArguments ? CALLING_ARGUMENTS : CALLING_PARAMS;
  return own ?? (params && (yield* lookalikeSteps(frame, params, ...twinNamed(names))));
}

const LISTING_MESSAGE = namesOf(["result"]);
const LISTING_RESULT = namesOf(["tools"]);

/**
 * Returns a member that holds a list of tools if it appears twice in a response, in the same sense as for {@link
 * callTwin}. Works in steps.
 */
export function* listTwinSteps(frame: Frame): Generator<void, Twin | undefined, void> {
  if (frame.scan.error !== undefined) return undefined;
  const { result } = frame.ranges;
  const own = yield* lookalikeSteps(frame, frame.scan.root, ...twinNamed(LISTING_MESSAGE));
  return own ?? (result && (yield* lookalikeSteps(frame, result, ...twinNamed(LISTING_RESULT))));
}

/** Returns names, and a function that gives the one of them that a key is taken for. */
function twinNamed(names: Names): [Names, (key: string) => string | undefined] {
  return [names, (key) => names.get(key) ?? nameFor(key, names)];
}

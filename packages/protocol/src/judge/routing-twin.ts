import { MAX_FOLDED, runSteps } from "@touchstone/core/advanced";
import type { Frame } from "../frame.ts";
import { META_SUBSCRIPTION_ID } from "../plan.ts";
import {
  type FoldedNames,
  foldNames,
  LONG_NAME,
  lookalikeName,
  lookalikeSteps,
} from "./lookalike-names.ts";

/** The name of a member that occurs twice in a message, or {@link LONG_NAME} if a name is too long to be compared. */
export type TwinName = string | typeof LONG_NAME;

/** Returns a sentence that says which member occurs twice. */
export function twinText(twin: TwinName): string {
  return twin === LONG_NAME
    ? `a member's name has more than ${MAX_FOLDED} characters, so it cannot be compared with others`
    : `"${twin}" is in the message twice, or again under a similar name`;
}

/**
 * By the location of an object: its members that determine to whom a message belongs, and to which request it refers.
 */
const routing = (members: readonly string[]): readonly (readonly [string, FoldedNames])[] => [
  ["/params", new Map([["_meta", "_meta"], ...foldNames(members)])],
  ["/params/_meta", foldNames(["progressToken", META_SUBSCRIPTION_ID])],
];
const ROUTING = routing(["requestId", "progressToken"]);
const WITH_TASKS = routing(["requestId", "progressToken", "taskId"]);
const ROUTING_MESSAGE = foldNames(["id", "method", "params"]);

/**
 * Returns a member used for routing the message if it appears twice, or again under nearly the same name. If several
 * clients share a server, a server that uses the other one responds to, or stops, another client's request.
 * @param withTasks whether the id of a task counts as well
 */
export function routingTwin(frame: Frame, withTasks = false): TwinName | undefined {
  return runSteps(routingTwinSteps(frame, withTasks));
}

/** Does the same as {@link routingTwin}, in steps. */
export function* routingTwinSteps(
  frame: Frame,
  withTasks = false,
): Generator<void, TwinName | undefined, void> {
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

const CALLING_MESSAGE = foldNames(["method", "params"]);
const CALLING_PARAMS = foldNames(["name"]);
const CALLING_ARGUMENTS = foldNames(["name", "arguments"]);

/** The results of {@link findCallTwins}, by the scans of the frames. */
const found: WeakMap<Frame["scan"], CallTwins> = new WeakMap();

interface CallTwins {
  /** A member that names the tool and occurs twice. */
  readonly named: TwinName | undefined;
  /** Such a member, or `arguments` if that occurs twice. */
  readonly withArguments: TwinName | undefined;
}

/**
 * Returns a member that determines whether a client's message calls a tool, and which one, if it appears twice, or
 * again under nearly the same name. A server that uses the other one runs a different tool than the message seems to
 * call.
 * @param withArguments whether a second `arguments` counts as well
 */
export function callTwin(frame: Frame, withArguments: boolean = false): TwinName | undefined {
  const known = found.get(frame.scan);
  const { named, withArguments: all } = known ?? runSteps(callTwinsSteps(frame));
  return withArguments ? all : named;
}

/**
 * Does the work of {@link callTwin} in steps, and stores the result: a later call of that function for this frame
 * returns it.
 */
export function* findCallTwins(frame: Frame): Generator<void, void, void> {
  found.set(frame.scan, yield* callTwinsSteps(frame));
}

function* callTwinsSteps(frame: Frame): Generator<void, CallTwins, void> {
  if (frame.scan.error !== undefined) return { named: undefined, withArguments: undefined };
  const { params } = frame.ranges;
  const own = yield* lookalikeSteps(frame, frame.scan.root, ...twinNamed(CALLING_MESSAGE));
  if (own !== undefined || params === undefined) return { named: own, withArguments: own };
  return {
    named: yield* lookalikeSteps(frame, params, ...twinNamed(CALLING_PARAMS)),
    withArguments: yield* lookalikeSteps(frame, params, ...twinNamed(CALLING_ARGUMENTS)),
  };
}

const LISTING_MESSAGE = foldNames(["result"]);
const LISTING_RESULT = foldNames(["tools"]);

/**
 * Returns a member that holds a list of tools if it appears twice in a response, in the same sense as for {@link
 * callTwin}. Works in steps.
 */
export function* listTwinSteps(frame: Frame): Generator<void, TwinName | undefined, void> {
  if (frame.scan.error !== undefined) return undefined;
  const { result } = frame.ranges;
  const own = yield* lookalikeSteps(frame, frame.scan.root, ...twinNamed(LISTING_MESSAGE));
  return own ?? (result && (yield* lookalikeSteps(frame, result, ...twinNamed(LISTING_RESULT))));
}

/** Returns some names, and a function that returns the one of them for which a key may be mistaken. */
function twinNamed(names: FoldedNames): [FoldedNames, (key: string) => string | undefined] {
  return [names, (key) => names.get(key) ?? lookalikeName(key, names)];
}

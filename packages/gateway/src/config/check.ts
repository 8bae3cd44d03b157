import {
  type CompiledSchema,
  compileOwn,
  isPlaceKey,
  joinPointer,
  placeFault,
  placeKey,
  pointerTokens,
} from "@touchstone/core/advanced";
import { closest } from "@touchstone/util/closest";
import { SCHEMA } from "../settings/schema.ts";
import {
  acceptsSingleObject,
  acceptsSingleString,
  isSecretAt,
  knownKeys,
  type SchemaPart,
  schemaPartAt,
} from "../settings/sections.ts";
import { didYouMean } from "./closest.ts";
import { isJsonObject, type JsonObject, type JsonValue, type Path, pathKey } from "./document.ts";
import type { FaultList } from "./fault-list.ts";
import { type ConfigFaultCode, quote } from "./faults.ts";
import { misplacedKeyHint } from "./misplaced-keys.ts";

/** A document before and after variables were substituted. Messages show it as written. */
interface Texts {
  readonly value: JsonObject;
  readonly written: JsonObject;
}

/** The result of a check with the schema. */
export interface ConfigFindings {
  readonly found: readonly { readonly path: Path; readonly code: ConfigFaultCode }[];
  /** {@link pathKey}s of everything that is wrong, and of its ancestors. */
  readonly misshapen: ReadonlySet<string>;
}

/**
 * A value to check as (a part of) our file. An issue's path in the document is `at` plus its path in `value` without
 * the first `skip` steps; its path in our file is `asOurs` plus the same steps.
 */
interface Target {
  readonly value: JsonObject;
  readonly skip: number;
  readonly at: Path;
  readonly asOurs: Path;
}

/** No limit on issues: the document is already bounded in size, depth and number of values. */
const ALL = Number.MAX_SAFE_INTEGER;
const LIMITS = {
  maxBytes: ALL,
  maxDepth: 1000,
  maxIssues: ALL,
  maxText: ALL,
  paths: "instance",
} as const;

let schema: CompiledSchema | undefined;

/** Returns the schema, compiled on first use. */
function fileSchema(): CompiledSchema {
  schema ??= compileOwn(SCHEMA);
  return schema;
}

/**
 * Checks a file of ours with its schema. Reports every wrong value with what is expected, and every unknown key with
 * the closest known one.
 */
export function checkFile(texts: Texts, faults: FaultList): ConfigFindings {
  const { mcpServers, ...rest } = texts.value;
  const file = { value: rest, skip: 0, at: [], asOurs: [] };
  return check([file, ...serversIn(mcpServers, ["mcpServers"])], texts, faults);
}

/** Returns the same for the list of servers of a client's file. */
export function checkServers(
  list: JsonValue,
  root: Path,
  texts: Texts,
  faults: FaultList,
): ConfigFindings {
  return check(serversIn(list, root), texts, faults);
}

/** Each entry by itself, because its name may be longer than a path in a message. */
function serversIn(list: JsonValue | undefined, root: Path): readonly Target[] {
  const asOurs = ["mcpServers"];
  if (list === undefined) return [];
  if (!isJsonObject(list)) return [{ value: { mcpServers: list }, skip: 1, at: root, asOurs }];
  return Object.entries(list).map(([name, entry]) => ({
    value: { mcpServers: { entry } },
    skip: 2,
    at: [...root, name],
    asOurs: [...asOurs, name],
  }));
}

function check(targets: readonly Target[], texts: Texts, faults: FaultList): ConfigFindings {
  const found: { path: Path; code: ConfigFaultCode }[] = [];
  const add: FaultList["add"] = (code, path, message, at) => {
    faults.add(code, path, message, at);
    found.push({ path, code });
  };
  for (const target of targets) {
    // Nothing is required, and most files have only servers. Compiling takes longer than the rest of a start.
    if (Object.keys(target.value).length === 0) continue;
    const { outcome, errors, truncated } = fileSchema().validate(target.value, LIMITS);
    // Nothing unchecked is used.
    if (outcome !== "pass" && (outcome !== "violation" || truncated !== undefined)) {
      add("TOO_MANY_VALUES", target.at, "cannot be checked; split it");
    }
    const wrong = new Map<string, boolean>();
    for (const { instancePath = "", keyword, params } of errors) {
      const isUnknown = keyword === "additionalProperties";
      if (isUnknown)
        addUnknown(target, instancePath, String(params?.["additionalProperty"]), texts, add);
      else wrong.set(instancePath, keyword === "type" || wrong.get(instancePath) === true);
    }
    for (const [pointer, isType] of wrong) addWrong(target, pointer, isType, texts, add);
  }
  return { found, misshapen: around(found) };
}

function around(found: ConfigFindings["found"]): ReadonlySet<string> {
  const paths = new Set<string>();
  for (const { path } of found) {
    for (let length = path.length; length >= 0; length -= 1) {
      paths.add(pathKey(path.slice(0, length).map(String)));
    }
  }
  return paths;
}

/** Returns the steps from a target to a place in it, with indexes as numbers, as in {@link Path}. */
function stepsTo(pointer: string, { value, skip }: Pick<Target, "value" | "skip">): Path {
  let here: JsonValue | undefined = value;
  const steps = pointerTokens(pointer).map((token) => {
    const step = Array.isArray(here) ? Number(token) : token;
    here = here === undefined ? undefined : valueAt(here, [step]);
    return step;
  });
  return steps.slice(skip);
}

function addWrong(
  { at, asOurs, ...target }: Target,
  pointer: string,
  isType: boolean,
  { value, written }: Texts,
  add: FaultList["add"],
): void {
  const steps = stepsTo(pointer, target);
  const ours = [...asOurs, ...steps];
  const part = schemaPartAt(ours) ?? {};
  const whole = [...at, ...steps];
  const path = pathAsWritten(whole, written);
  const here = valueAt(value, whole);
  if (here === "sse" && part === schemaPartAt(["mcpServers", "", "type"])) {
    const hint =
      "the old HTTP+SSE transport is not supported; use the server's Streamable HTTP url";
    add("UNSUPPORTED_TRANSPORT", path, `${hint} with "type": "http"`);
    return;
  }
  const code = isType && part.enum === undefined ? "WRONG_TYPE" : "INVALID_VALUE";
  add(code, path, () => {
    const isSecret = isSecretAt(ours);
    const allowed = isSecret ? [] : (part.enum ?? []).filter((value) => typeof value === "string");
    const meant = typeof here === "string" ? didYouMean(here, allowed) : "";
    const got = describe(valueAt(written, path), isSecret);
    return `${mustBe(part, isType)}; got ${got}${meant}`;
  });
}

/** Returns what a part of the schema accepts, in words. */
function mustBe(part: SchemaPart, isType: boolean): string {
  const { type, minimum, exclusiveMinimum, maximum, items, additionalProperties } = part;
  if (part.enum !== undefined) {
    return `must be one of ${part.enum.map((value) => JSON.stringify(value)).join(", ")}`;
  }
  if (!isType && part.patternErrorMessage !== undefined) {
    return part.patternErrorMessage;
  }
  if (type === "string") return "must be a string";
  if (type === "boolean") return "must be true or false";
  if (type === "integer") return `must be an integer from ${minimum} to ${maximum}`;
  if (type === "number") {
    return `must be a number of seconds above ${exclusiveMinimum}, at most ${maximum}`;
  }
  if (type === "array") {
    const list = `an array${items?.type === "string" ? " of strings" : ""}`;
    if (acceptsSingleObject(part)) return `must be an object, or an array of objects`;
    if (!acceptsSingleString(part)) return `must be ${list}`;
    return items?.enum === undefined
      ? `must be one string without a comma, or ${list}`
      : `${mustBe(items, true)}, or an array of them`;
  }
  const isMap = typeof additionalProperties === "object" && additionalProperties.type === "string";
  return `must be an object${isMap ? " whose values are strings" : ""}`;
}

function addUnknown(
  { at, asOurs, ...target }: Target,
  pointer: string,
  key: string,
  { value, written }: Texts,
  add: FaultList["add"],
): void {
  const steps = stepsTo(pointer, target);
  const path = [...at, ...steps];
  const message = () => unknownKey([...asOurs, ...steps], key, valueAt(value, path));
  add("UNKNOWN_KEY", pathAsWritten([...path, key], written), message, "key");
}

/** Classes of issues that rules do not cover, and what decides about them. */
const OTHER_CLASSES: ReadonlyMap<string, string> = new Map([
  ["number", "such an issue is only ever a warning"],
  ["duplicate", "protocol_validation decides about a key that occurs twice"],
  ["schema", "on_invalid_schema and on_unknown_schema are about schemas that cannot be used"],
  ["protocol", "protocol_validation is about the messages themselves"],
  ["policy", "no rule can allow a call that policy blocks"],
]);

/** Returns what is wrong with a key of `rules`; undefined if it is just unknown. */
function ruleFault(key: string, known: readonly string[]): string | undefined {
  if (isPlaceKey(key)) return `${quote(key)} is not a JSON Pointer: ${placeFault(key)}`;
  const reason = OTHER_CLASSES.get(key);
  if (reason !== undefined) return `no rule can be about ${quote(key)} — ${reason}`;
  const isPath = closest(key, known) === undefined;
  const meant = placeKey(joinPointer("", key));
  return isPath
    ? `unknown class of issues ${quote(key)} — write ${quote(meant)} for a place, or one of ${known.join(", ")}`
    : undefined;
}

function unknownKey(path: Path, key: string, object: JsonValue | undefined): string {
  const known = knownKeys(path);
  const isRule = schemaPartAt(path)?.patternProperties !== undefined;
  const fault = isRule ? ruleFault(key, known) : undefined;
  if (fault !== undefined) return fault;
  const client = path.length === 0 ? "; read the servers of a client's file with --servers" : "";
  const meant = closest(key, known);
  const taken = meant !== undefined && isJsonObject(object) && Object.hasOwn(object, meant);
  if (taken) return `unknown key ${quote(key)} — ${quote(meant)} is there already`;
  const hint =
    misplacedKeyHint(path, key) ||
    didYouMean(key, known) ||
    ` — the keys here are ${known.join(", ")}${client}`;
  return `unknown key ${quote(key)}${hint}`;
}

/** Returns a path without the index of the only item of a list that is written as the item itself. */
export function pathAsWritten(path: Path, written: JsonValue): Path {
  let here: JsonValue | undefined = written;
  const steps: (string | number)[] = [];
  for (const step of path) {
    const isItself = step === 0 && here !== undefined && !Array.isArray(here);
    if (isItself) continue;
    here = here === undefined ? undefined : valueAt(here, [step]);
    steps.push(step);
  }
  return steps;
}

/** Returns the value at a path, if there is one. */
export function valueAt(root: JsonValue, path: Path): JsonValue | undefined {
  let value: JsonValue | undefined = root;
  for (const step of path) {
    if (Array.isArray(value)) value = value[Number(step)];
    else if (isJsonObject(value) && Object.hasOwn(value, step)) value = value[step];
    else return undefined;
  }
  return value;
}

function describe(value: JsonValue | undefined, isSecret: boolean): string {
  if (value === undefined) return "nothing";
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  if (typeof value === "object") return "an object";
  if (isSecret) return `a ${typeof value}`;
  return typeof value === "string" ? quote(value) : String(value);
}

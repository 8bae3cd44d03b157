import { closest, didYouMean } from "../closest.ts";
import { isJsonObject, type JsonValue, type Path } from "../document.ts";
import type { FaultList } from "../fault-list.ts";
import { quote } from "../faults.ts";
import { knownKeys } from "./editor-schema.ts";
import type { ShapeIssue } from "./kinds.ts";
import { misplacedHint } from "./misplaced.ts";

type WrongValue = Exclude<ShapeIssue, { readonly code: "UNKNOWN_KEY" }>;

/** What an alert may say openly: the URL of a webhook is often its own key, and a command may hold one. */
const PLAIN_ALERT_KEYS: readonly string[] = ["when", "server", "tool", "format", "min_interval"];

/**
 * Where in `touchstone.json` values may be secrets and are never shown: entries, but for `type` and our own settings, where alerts
 * go, and the URL of a store, which holds a password also where it stands one level too high.
 */
function mayBeSecret(path: Path): boolean {
  if (path[0] === "auth") return true;
  if (path[0] === "alerts") return !PLAIN_ALERT_KEYS.includes(String(path.at(-1)));
  if (path[0] === "activity") return path.length === 1 || path[1] === "store";
  return path[0] === "mcpServers" && path[2] !== "type" && path[2] !== "touchstone";
}

/**
 * Says in words what is wrong with a shape: what must stand there, what stands there instead, and what was
 * probably meant.
 *
 * @param root the path of the list of servers that was checked; empty if it was a file of ours
 * @param read the document after substitution
 * @param written the document before it; shown instead of what the environment put in
 */
export function addShapeFaults(
  issues: readonly ShapeIssue[],
  root: Path,
  read: JsonValue,
  written: JsonValue,
  faults: FaultList,
): void {
  for (const issue of issues) {
    const path = [...root, ...issue.path];
    const asOurs = root.length === 0 ? path : ["mcpServers", ...issue.path];
    if (issue.code === "UNKNOWN_KEY") {
      for (const key of issue.keys) {
        const message = () => unknownKey(asOurs, key, valueAt(read, path));
        faults.add("UNKNOWN_KEY", [...path, key], message, "key");
      }
    } else {
      faults.add(issue.code, path, () =>
        wrongValue(issue, mayBeSecret(asOurs), valueAt(read, path), valueAt(written, path)),
      );
    }
  }
}

function wrongValue(
  issue: WrongValue,
  secret: boolean,
  value: JsonValue | undefined,
  written: JsonValue | undefined,
): string {
  const { allowed = [] } = secret ? {} : issue;
  const meant = typeof value === "string" ? didYouMean(value, allowed) : "";
  return `${issue.message}; got ${describe(written, secret)}${meant}`;
}

function unknownKey(path: Path, key: string, object: JsonValue | undefined): string {
  const known = knownKeys(path);
  const client = path.length === 0 ? "; read the servers of a client's file with --servers" : "";
  const meant = closest(key, known);
  const taken = meant !== undefined && isJsonObject(object) && Object.hasOwn(object, meant);
  if (taken) return `unknown key ${quote(key)} — ${quote(meant)} is there already`;
  const hint =
    misplacedHint(path, key) ||
    didYouMean(key, known) ||
    ` — the keys here are ${known.join(", ")}${client}`;
  return `unknown key ${quote(key)}${hint}`;
}

/** The value at a path, if there is one. */
export function valueAt(root: JsonValue, path: Path): JsonValue | undefined {
  let value: JsonValue | undefined = root;
  for (const step of path) {
    if (Array.isArray(value)) value = value[Number(step)];
    else if (isJsonObject(value) && Object.hasOwn(value, step)) value = value[step];
    else return undefined;
  }
  return value;
}

function describe(value: JsonValue | undefined, secret: boolean): string {
  if (value === undefined) return "nothing";
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  if (typeof value === "object") return "an object";
  if (secret) return `a ${typeof value}`;
  return typeof value === "string" ? quote(value) : String(value);
}

import { plain, quote, quotePointer, quoteValue, wordList } from "../../json/quote.ts";
import { explained } from "../../keywords/index.ts";
import { propertyNode } from "../../keywords/literals.ts";
import { receivedFor } from "../explain/demand.ts";
import { describeReceived, describeSchema, describeWanted } from "../explain/describe.ts";
import { type Fact, propertyOf } from "../explain/fact.ts";
import { requirementOf, type Whole } from "../explain/sentence.ts";
import { defaultFor } from "../issues/default.ts";
import type { Lookup } from "../issues/lookup.ts";
import { mayBeLeftOut, meant, rewritingOf } from "../issues/suggest.ts";

const MAX_NAMES = 12;

/** Returns whether the property at an RFC 6901 pointer is required, as far as the caller can tell. */
export type RequiredAt = (path: string) => boolean;

function add(fact: Fact, lookup: Lookup): string {
  const { error, wanted } = fact;
  const name = propertyOf(fact);
  const node =
    error === undefined || name === undefined ? undefined : propertyNode(error.node, name);
  const expected =
    wanted !== undefined
      ? describeWanted(wanted)
      : node === undefined
        ? undefined
        : describeSchema(node);
  return `${expected === undefined ? "" : `: ${expected}`}${byDefault(fact, lookup)}`;
}

function byDefault({ error }: Fact, lookup: Lookup): string {
  const found = error === undefined ? undefined : defaultFor(error, lookup);
  return found === undefined ? "" : `; its default is ${found.shown}`;
}

function remove(fact: Fact, lookup: Lookup): string {
  const name = propertyOf(fact) ?? "";
  const { error } = fact;
  const names = error && lookup.namesOf(error);
  const unused = names?.unused ?? [];
  const near = names?.nearestTo(name);
  if (near !== undefined) return `or rename it: did you mean ${quote(near)}?`;
  if (unused.length === 0) return "it is not declared";
  const listed = wordList(
    unused.slice(0, MAX_NAMES).map((one) => quote(one)),
    MAX_NAMES,
    "and",
  );
  const more = unused.length > MAX_NAMES ? ` and ${unused.length - MAX_NAMES} more` : "";
  return `it is not declared; unused names are ${listed}${more}`;
}

/** Returns how to write the value so that it is accepted, if that is known. */
function hint(fact: Fact, lookup: Lookup, isRequired: RequiredAt | undefined): string {
  const { error, wanted, path } = fact;
  if (error === undefined) return "";
  const values = wanted?.values ?? [];
  const near = values.length > 1 ? meant(error.data, values, lookup) : undefined;
  if (near !== undefined) return `. Did you mean ${quoteValue(near)}?`;
  const other = rewritingOf(error, lookup);
  if (other !== undefined) return `: ${other}`;
  const mayGo = mayBeLeftOut(error) && isRequired?.(path) !== true;
  return `${byDefault(fact, lookup)}${mayGo ? ": leave it out if it is not required" : ""}`;
}

/** The thing to change: its name, and the words that refer to it after that. */
interface Subject {
  readonly name: string;
  readonly it: string;
  readonly is: string;
  readonly has: string;
}

function subjectOf(path: string, whole: Whole): Subject {
  return path === "" && whole === "the arguments"
    ? { name: whole, it: "they", is: "they are", has: "they have" }
    : { name: pointer(path, whole), it: "it", is: "it is", has: "it has" };
}

function change(
  fact: Fact,
  { is }: Subject,
  lookup: Lookup,
  isRequired: RequiredAt | undefined,
): string {
  const received = describeReceived(fact);
  const it = received === undefined ? "" : `; ${is} ${received}`;
  return `${requirementOf(fact)}${it}${hint(fact, lookup, isRequired)}`;
}

/** Returns what one keyword requires, and the type and size of what was found. */
function demand(fact: Fact, { it, is, has }: Subject): string {
  const { issue } = fact;
  const required = requirementOf(fact);
  if (required === undefined) return plain(issue.message);
  const received = receivedFor(fact);
  if (received === undefined) return `${it} ${required}`;
  const isCount = explained(issue.keyword).received === "members";
  return `${it} ${required}; ${isCount ? has : is} ${received}`;
}

function name(fact: Fact): string {
  const required = requirementOf(fact);
  return required === undefined ? "its name is not allowed" : `its name ${required}`;
}

/** Explains the RFC 6901 escapes in a path: a reader who does not know them would take them as part of the name. */
function escapesIn(path: string): string {
  const meanings = [
    ...(path.includes("~1") ? ["~1 stands for a slash in a name"] : []),
    ...(path.includes("~0") ? ["~0 stands for a tilde"] : []),
  ];
  return meanings.length === 0 ? "" : ` (${meanings.join(", ")})`;
}

function pointer(path: string, whole: Whole): string {
  return `${quotePointer(path, whole)}${escapesIn(path)}`;
}

function sentence(
  fact: Fact,
  lookup: Lookup,
  whole: Whole,
  isRequired: RequiredAt | undefined,
): string {
  const subject = subjectOf(fact.path, whole);
  const at = subject.name;
  switch (fact.kind) {
    case "missing":
      return `Add ${at}, which is required${add(fact, lookup)}`;
    case "missing_any":
      return `Add ${wordList(
        (fact.paths ?? []).map((path) => quotePointer(path)),
        MAX_NAMES,
      )}${escapesIn((fact.paths ?? []).join(""))}: one of them is required`;
    case "rename":
      return `Rename ${at} to ${quote(fact.near ?? "")}, which is required${add(fact, lookup)}`;
    case "unknown":
      return `Remove ${at}: ${remove(fact, lookup)}`.replace(": or rename", " or rename");
    case "wanted":
      return `Change ${at}: ${change(fact, subject, lookup, isRequired)}`;
    case "ambiguous":
      return `Change ${at}: ${subject.it} must match exactly one of the schemas in oneOf, and not more (${wordList(fact.branches ?? [], MAX_NAMES, "and")} match)`;
    case "name":
      return `Rename ${at}: ${name(fact)}`;
    default:
      if (fact.issue.keyword === "false schema") {
        return fact.path === ""
          ? `No ${whole.slice(4)} can be valid: the schema allows none`
          : `Remove ${at}: it is not allowed`;
      }
      return `Change ${at}: ${demand(fact, subject)}${byDefault(fact, lookup)}`;
  }
}

/**
 * Returns one fact as one line that says what to do: the place, what is expected, and the type and size of what was
 * found. Uses what is left of the lookup's effort to find what may have been meant. Contains no value of the payload.
 * Text from outside is quoted, cut and free of markup.
 * @param whole the name for the root
 * @param isRequired called for a `null` or `""` before the line advises to leave it out
 */
export function adviceFor(
  fact: Fact,
  lookup: Lookup,
  whole: Whole = "the value",
  isRequired?: RequiredAt,
): string {
  const called = fact.title === undefined ? "" : `for ${quote(fact.title)}, `;
  const among =
    fact.alternatives === undefined
      ? ""
      : ` (${called}the closest of ${fact.alternatives} alternatives)`;
  const text = sentence(fact, lookup, whole, isRequired);
  return `${text}${text.endsWith("?") ? "" : "."}${among}`;
}

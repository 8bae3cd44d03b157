import { plainLine, quote, quotePointer, quoteValue, wordList } from "../../json/quote.ts";
import { explanationOf } from "../../keywords/index.ts";
import { propertyNode } from "../../keywords/literals.ts";
import { receivedText } from "../explain/demand.ts";
import { describeReceived, describeWanted } from "../explain/describe.ts";
import { type Fact, isOtherSpelling, type MemberMoves, propertyOf } from "../explain/fact.ts";
import { requestOf } from "../explain/request.ts";
import { type RootName, requirementOf } from "../explain/sentence.ts";
import { nativeOf } from "../issues/issue.ts";
import { acceptedDefault } from "../issues/issue-subject.ts";
import { mayBeOmitted, OMIT_ADVICE, rewriteAdvice, suggestedValue } from "../issues/suggest.ts";
import type { SuggestionLookup } from "../issues/suggestion-lookup.ts";

const MAX_NAMES = 12;

/** Returns whether the property at an RFC 6901 pointer is required, as far as the caller can tell. */
export type IsRequiredAt = (path: string) => boolean;

function add(fact: Fact, lookup: SuggestionLookup): string {
  const { error, wanted } = fact;
  const name = propertyOf(fact);
  const node =
    error === undefined || name === undefined ? undefined : propertyNode(error.node, name);
  const expected =
    wanted !== undefined
      ? describeWanted(wanted)
      : node === undefined
        ? undefined
        : requestOf(node, lookup);
  return `${expected === undefined ? "" : `: ${expected}`}${byDefault(fact, lookup)}`;
}

function byDefault(
  { error, within }: Pick<Fact, "error" | "within">,
  lookup: SuggestionLookup,
): string {
  const found = error === undefined ? undefined : acceptedDefault({ error, within }, lookup);
  return found === undefined ? "" : `; its default is ${found.shown}`;
}

function remove(fact: Fact, lookup: SuggestionLookup): string {
  const name = propertyOf(fact) ?? "";
  const { error } = fact;
  const names = error && lookup.namesOf(error);
  const unused = names?.unused ?? [];
  const near = names?.nearestTo(name);
  if (near !== undefined && isOtherSpelling(fact, name, near, lookup)) {
    return `or rename it: did you mean ${quote(near)}?`;
  }
  if (unused.length === 0) return "it is not declared";
  const listed = wordList(
    unused.slice(0, MAX_NAMES).map((one) => quote(one)),
    MAX_NAMES,
    "and",
  );
  const more = unused.length > MAX_NAMES ? ` and ${unused.length - MAX_NAMES} more` : "";
  return `it is not declared; unused names are ${listed}${more}`;
}

/** Returns how to write the value so that it is accepted, or what to send instead, if that is known. */
function hint(fact: Fact, lookup: SuggestionLookup, isRequired: IsRequiredAt | undefined): string {
  const { wanted, path } = fact;
  // The suggested value must satisfy the union as a whole, not only the branch of this error.
  const error = fact.union ?? fact.error;
  if (error === undefined || wanted === undefined) return "";
  const { values, types } = wanted;
  const subject = { error, within: fact.within, alternatives: fact.choices };
  const near = values.length > 1 ? suggestedValue(subject, values, lookup) : undefined;
  if (near !== undefined) return `. Did you mean ${quoteValue(near)}?`;
  const other = types.length === 0 ? undefined : rewriteAdvice(subject, types, lookup);
  if (other !== undefined) return `: ${other}`;
  const mayGo = mayBeOmitted(subject, lookup) && isRequired?.(path) !== true;
  const found = byDefault({ ...fact, error }, lookup);
  if (mayGo || found !== "") return `${found}${mayGo ? `: ${OMIT_ADVICE}` : ""}`;
  const words = types.length === 0 ? undefined : requestOf(error.node, lookup);
  // A list of types alone is already named earlier in the line.
  return words === undefined || !ADDS.test(words) ? "" : `: send ${words}`;
}

/** Returns how to write the value for another branch of its union, or its default. */
function otherwise(fact: Fact, lookup: SuggestionLookup): string {
  const { union } = fact;
  const other =
    union === undefined
      ? undefined
      : rewriteAdvice({ error: union, within: fact.within?.slice(1) }, [], lookup);
  return other === undefined ? byDefault(fact, lookup) : `: ${other}`;
}

/** Words of a description that say more than types and values. */
const ADDS = / (?:of|with|from|that|each) |\("/;

/** The thing to change: its name, and the words that refer to it after that. */
interface Subject {
  readonly name: string;
  readonly it: string;
  readonly is: string;
  readonly has: string;
}

function subjectOf(path: string, whole: RootName): Subject {
  return path === "" && whole === "the arguments"
    ? { name: whole, it: "they", is: "they are", has: "they have" }
    : { name: pointer(path, whole), it: "it", is: "it is", has: "it has" };
}

function change(
  fact: Fact,
  { is }: Subject,
  lookup: SuggestionLookup,
  isRequired: IsRequiredAt | undefined,
): string {
  const received = describeReceived(fact);
  const it = received === undefined ? "" : `; ${is} ${received}`;
  return `${requirementOf(fact)}${it}${hint(fact, lookup, isRequired)}`;
}

/** Returns what one keyword requires, and the type and size of what was found. */
function demand(fact: Fact, { it, is, has }: Subject, lookup: SuggestionLookup): string {
  const { issue } = fact;
  const required = requirementOf(fact);
  if (required === undefined) return plainLine(nativeOf(issue));
  const received = receivedText(fact);
  if (received === undefined) return `${it} ${required}`;
  const each = issue.keyword === "minItems" ? eachItem(fact, lookup) : "";
  const isCount = explanationOf(issue.keyword).received === "members";
  return `${it} ${required}${each}; ${isCount ? has : is} ${received}`;
}

/** Returns what the items of an array with too few are: `, each item a string`. */
function eachItem({ error }: Fact, lookup: SuggestionLookup): string {
  const { items, prefixItems } = error?.node ?? {};
  const words =
    items === undefined || prefixItems !== undefined ? undefined : requestOf(items, lookup);
  return words === undefined ? "" : `, each item ${words}`;
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

function pointer(path: string, whole: RootName): string {
  return `${quotePointer(path, whole)}${escapesIn(path)}`;
}

const MAX_SENT = 3;
const MAX_MOVES = 6;

/** Returns what declares names: the tool, for its arguments. */
function declaring(whole: RootName): string {
  return whole === "the arguments" ? "the tool" : "the schema";
}

/** Returns the undeclared members beside a missing one. */
function sent({ sent: paths = [], meant: near, path }: Fact, whole: RootName): string {
  if (paths.length === 0) return "";
  const named = wordList(
    paths.map((one) => quotePointer(one)),
    MAX_SENT,
    "and",
  );
  const sentence = `. You sent ${named}, which ${declaring(whole)} does not declare`;
  return near === undefined ? sentence : `${sentence}. Did you mean ${quotePointer(path)}?`;
}

/** Returns which members to move. */
function move({ places, emptied, text }: MemberMoves, whole: RootName): string {
  const ways = places.map(([from, to]) => `${quotePointer(from)} to ${quotePointer(to)}`);
  const more = ways.length - MAX_MOVES;
  const shown = wordList(ways.slice(0, MAX_MOVES), MAX_MOVES, "and");
  const rest =
    more > 0 ? `, and ${more} more beside ${more === 1 ? "it" : "them"} in the same way` : "";
  const gone =
    emptied === undefined
      ? `: ${declaring(whole)} declares ${ways.length === 1 ? "it" : "them"} there`
      : `, and remove ${quotePointer(emptied)}, which ${declaring(whole)} does not declare`;
  const held = text === undefined ? "" : `Read the JSON text in ${quotePointer(text)}. `;
  return `${held}Move ${shown}${rest}${gone}${escapesIn(places.flat().join(""))}`;
}

function sentence(
  fact: Fact,
  lookup: SuggestionLookup,
  whole: RootName,
  isRequired: IsRequiredAt | undefined,
): string {
  const subject = subjectOf(fact.path, whole);
  const at = subject.name;
  switch (fact.kind) {
    case "missing":
      return `Add ${at}, which is required${add(fact, lookup)}${sent(fact, whole)}`;
    case "move":
      return fact.moves === undefined ? "" : move(fact.moves, whole);
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
      return `Change ${at}: ${demand(fact, subject, lookup)}${otherwise(fact, lookup)}`;
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
  lookup: SuggestionLookup,
  whole: RootName = "the value",
  isRequired?: IsRequiredAt,
): string {
  const called = fact.title === undefined ? "" : `for ${quote(fact.title)}, `;
  const among =
    fact.alternatives === undefined
      ? ""
      : ` (${called}the closest of ${fact.alternatives} alternatives)`;
  const text = sentence(fact, lookup, whole, isRequired);
  return `${text}${text.endsWith("?") ? "" : "."}${among}`;
}

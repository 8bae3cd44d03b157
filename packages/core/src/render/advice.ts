import { describeReceived, describeSchema, describeWanted } from "../explain/describe.ts";
import { type Fact, propertyOf } from "../explain/fact.ts";
import { defaultFor } from "../issues/default.ts";
import type { Lookup } from "../issues/lookup.ts";
import { quote, quotePointer, quoteValue, wordList } from "../issues/quote.ts";
import { mayBeLeftOut, meant, rewriting } from "../issues/suggest.ts";
import { propertyNode } from "../schema/graph/literals.ts";
import { describeDemand } from "./keyword.ts";

const MAX_NAMES = 12;

/** Whether the property at an RFC 6901 pointer has to be there, as far as the one who asks can tell. */
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

/** How the value can be written so that it is accepted, where that can be told. */
function hint(fact: Fact, lookup: Lookup, isRequired: RequiredAt | undefined): string {
  const { error, wanted, path } = fact;
  if (error === undefined) return "";
  const values = wanted?.values ?? [];
  const near = values.length > 1 ? meant(error.data, values, lookup) : undefined;
  if (near !== undefined) return `. Did you mean ${quoteValue(near)}?`;
  const other = rewriting(error, lookup);
  if (other !== undefined) return `: ${other.message}`;
  const mayGo = mayBeLeftOut(error) && isRequired?.(path) !== true;
  return `${byDefault(fact, lookup)}${mayGo ? ": leave it out if it is not required" : ""}`;
}

function change(fact: Fact, lookup: Lookup, isRequired: RequiredAt | undefined): string {
  const expected = describeWanted(fact.wanted ?? { types: [], values: [] });
  const received = describeReceived(fact);
  const it = received === undefined ? "" : `; it is ${received}`;
  return `must be ${expected}${it}${hint(fact, lookup, isRequired)}`;
}

/** What the escapes of RFC 6901 stand for: who does not know them would take them for the name. */
function escapesIn(path: string): string {
  const meanings = [
    ...(path.includes("~1") ? ["~1 stands for a slash in a name"] : []),
    ...(path.includes("~0") ? ["~0 stands for a tilde"] : []),
  ];
  return meanings.length === 0 ? "" : ` (${meanings.join(", ")})`;
}

function sentence(fact: Fact, lookup: Lookup, isRequired: RequiredAt | undefined): string {
  const at = `${quotePointer(fact.path)}${escapesIn(fact.path)}`;
  switch (fact.kind) {
    case "missing":
      return `Add ${at}, which is required${add(fact, lookup)}`;
    case "missing_any":
      return `Add ${wordList((fact.paths ?? []).map(quotePointer), MAX_NAMES)}${escapesIn((fact.paths ?? []).join(""))}: one of them is required`;
    case "rename":
      return `Rename ${at} to ${quote(fact.near ?? "")}, which is required${add(fact, lookup)}`;
    case "unknown":
      return `Remove ${at}: ${remove(fact, lookup)}`.replace(": or rename", " or rename");
    case "wanted":
      return `Change ${at}: ${change(fact, lookup, isRequired)}`;
    case "ambiguous":
      return `Change ${at}: it matches more than one of the schemas in oneOf (${wordList(fact.branches ?? [], MAX_NAMES, "and")}), and must match exactly one`;
    case "name":
      return `Rename ${at}: of the name, ${describeDemand(fact)}`;
    default:
      return `Change ${at}: ${describeDemand(fact)}${byDefault(fact, lookup)}`;
  }
}

/**
 * One fact as one line that says what to do: the place, what is expected and the type and size of
 * what is there. What may have been meant is looked for with the lookup that is left. Holds no value
 * of the payload. Text from outside is quoted, cut and free of markup.
 * @param isRequired asked of what is `null` or `""` before it is told to be left out
 */
export function adviceFor(fact: Fact, lookup: Lookup, isRequired?: RequiredAt): string {
  const called = fact.title === undefined ? "" : `for ${quote(fact.title)}, `;
  const among =
    fact.alternatives === undefined
      ? ""
      : ` (${called}the closest of ${fact.alternatives} alternatives)`;
  const text = sentence(fact, lookup, isRequired);
  return `${text}${text.endsWith("?") ? "" : "."}${among}`;
}

import { readTime, type TimeRange } from "../time/range.ts";
import type { Sorting } from "./sorted-table.tsx";

/** What the address of a sorted list contains: a search, a time and an order. */
export interface ListAddress<Sort extends string> {
  readonly q: string;
  readonly range: TimeRange;
  readonly sorting: Sorting<Sort>;
}

/** Reads the parameters of a sorted list. Unknown values count as absent. */
export function readListAddress<Sort extends string>(
  query: string,
  sorts: readonly Sort[],
): ListAddress<Sort> {
  const given = new URLSearchParams(query);
  const by = sorts.find((sort) => sort === given.get("sort")) ?? (sorts[0] as Sort);
  return {
    q: given.get("q") ?? "",
    range: readTime(query),
    sorting: { by, order: given.get("order") === "asc" ? "asc" : "desc" },
  };
}

/** Returns the parameters that {@link readListAddress} reads, without those that are at their default. */
export function listParameters<Sort extends string>(
  { q, range: { since, until }, sorting: { by, order } }: ListAddress<Sort>,
  sorts: readonly Sort[],
): Readonly<Record<"q" | "since" | "until" | "sort" | "order", string | undefined>> {
  return {
    q: q === "" ? undefined : q,
    since: since === "" ? undefined : since,
    until: until === "" ? undefined : until,
    sort: by === sorts[0] ? undefined : by,
    order: order === "desc" ? undefined : order,
  };
}

/** A search in named fields and in all of them. */
export interface NamedSearch<Name extends string> {
  readonly named: Readonly<Partial<Record<Name, string>>>;
  readonly q: string | undefined;
}

/** Reads `caller:alice server:"my files" text`: values of fields, with quotes if they have spaces, and free text. */
export function readSearch<Name extends string>(
  text: string,
  names: readonly Name[],
): NamedSearch<Name> {
  const named: Partial<Record<Name, string>> = {};
  const rest = text.replace(/(?<=^|\s)(\w+):(?:"([^"]*)"|(\S+))/g, (whole, word, quoted, plain) => {
    const name = names.find((each) => each === word);
    const value: unknown = quoted ?? plain;
    if (name === undefined || typeof value !== "string" || value === "") return whole;
    named[name] = value;
    return "";
  });
  const q = rest.replace(/\s+/g, " ").trim();
  return { named, q: q === "" ? undefined : q };
}

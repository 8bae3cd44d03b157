import { createHash } from "node:crypto";
import type { SortedPage } from "../../caller-filter.ts";
import { badFilter } from "../../filter.ts";

type Place = readonly [value: number, last: number, key: string];

/**
 * Returns a page of entries, sorted by a number, then by their last call.
 * @throws ActivityError `BAD_FILTER` if the cursor is not from an earlier page
 */
export function sortedPage<Entry extends { readonly last: string }>(
  entries: readonly Entry[],
  page: SortedPage<string>,
  of: { readonly value: (entry: Entry) => number; readonly key: (entry: Entry) => string },
): { readonly entries: readonly Entry[]; readonly next: string | null } {
  const after = page.cursor === undefined ? undefined : readPlace(page.cursor);
  const sign = page.order === "asc" ? 1 : -1;
  const compare = (one: Place, other: Place): number =>
    sign * (one[0] - other[0] || one[1] - other[1]) || (one[2] < other[2] ? -1 : 1);
  const sorted = entries
    .map((entry) => {
      const key = createHash("sha256").update(of.key(entry)).digest("hex").slice(0, 16);
      return { entry, place: [of.value(entry), Date.parse(entry.last), key] as const };
    })
    .toSorted((one, other) => compare(one.place, other.place));
  const rest =
    after === undefined
      ? sorted
      : sorted.filter(({ place }) => place[2] !== after[2] && compare(place, after) > 0);
  const shown = rest.slice(0, page.limit);
  const last = rest.length > page.limit ? shown.at(-1) : undefined;
  return {
    entries: shown.map(({ entry }) => entry),
    next: last === undefined ? null : Buffer.from(last.place.join(" ")).toString("base64url"),
  };
}

function readPlace(cursor: string): Place {
  const text = cursor.length > 128 ? "" : Buffer.from(cursor, "base64url").toString("latin1");
  const [, value, last, key = ""] = /^(\d{1,16}) (\d{1,16}) ([0-9a-f]{16})$/.exec(text) ?? [];
  if (value === undefined) throw badFilter("cursor", "is not from an earlier page");
  return [Number(value), Number(last), key];
}

import { type ActivityRecord, groupChanges } from "@touchstone/gateway/api";
import { ArrowLeftRight } from "lucide-react";
import { type FormEvent, type ReactElement, useId } from "react";
import { hashOf } from "../page/route.ts";
import { localTime } from "../text/local-time.ts";
import { Button } from "../ui/button.tsx";
import { changeKind, shownRecord } from "./record-words.ts";
import { type ComparedWith, comparedQuery } from "./versions.ts";

/** A version that can be chosen. */
export interface Version extends ComparedWith {
  readonly label: string;
}

/** Returns the versions of a tool, newest first. @param isAll whether there are no older records */
export function versionsOf(records: readonly ActivityRecord[], isAll: boolean): readonly Version[] {
  const groups = groupChanges(records);
  const after = groups.flatMap((change): readonly Version[] => {
    const shown = shownRecord(change);
    if (shown === undefined) return [];
    const kinds = [...new Set(change.map(changeKind))].join(", ");
    return [{ id: shown.id, side: "after", label: `${localTime(shown.time)}, ${kinds}` }];
  });
  const first = groups.at(-1)?.at(-1);
  if (first === undefined || !isAll) return after;
  return [...after, { id: first.id, side: "before", label: `before ${localTime(first.time)}` }];
}

const SELECT =
  "h-8 min-w-0 max-w-full rounded-md border border-edge bg-raised px-2 text-sm text-text max-lg:min-h-9";

/** Lets the user choose two versions of a tool, and opens their difference. */
export function VersionPicker({
  versions,
  from,
  to,
}: {
  /** Newest first. */
  readonly versions: readonly Version[];
  /** The comparison that is open now. */
  readonly from?: ComparedWith | undefined;
  readonly to?: string;
}): ReactElement | null {
  const name = useId();
  if (versions.length < 2) return null;
  const options = versions.map((version, index) => (
    <option key={`${version.side} ${version.id}`} value={index}>
      {version.label}
    </option>
  ));
  const indexOf = (version: ComparedWith | undefined, otherwise: number): number => {
    const found = versions.findIndex(({ id, side }) => id === version?.id && side === version.side);
    return found < 0 ? otherwise : found;
  };
  const newer = indexOf(to === undefined ? undefined : { id: to, side: "after" }, 0);
  const older = indexOf(from, Math.min(newer + 1, versions.length - 1));
  const compare = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const data = new FormData(event.currentTarget);
    // The list is newest first.
    const [late, early] = ["from", "to"]
      .map((field) => Number(data.get(field)))
      .toSorted((a, b) => a - b)
      .map((index) => versions[index]);
    if (late === undefined || early === undefined || late.side === "before") return;
    location.hash = hashOf("changes", late.id, comparedQuery(early));
  };
  const choices = [
    ["from", "Compare", older],
    ["to", "with", newer],
  ] as const;
  return (
    <form
      aria-label="Compare two versions"
      className="mb-3 flex min-w-0 flex-wrap items-center gap-2"
      onSubmit={compare}
    >
      {choices.map(([field, label, index]) => (
        <span key={field} className="flex min-w-0 max-w-full items-center gap-2">
          <label htmlFor={`${name}${field}`} className="text-soft">
            {label}
          </label>
          <select
            // A different comparison may be open by now.
            key={index}
            id={`${name}${field}`}
            name={field}
            className={SELECT}
            defaultValue={index}
          >
            {options}
          </select>
        </span>
      ))}
      <Button type="submit">
        <ArrowLeftRight aria-hidden="true" />
        Compare
      </Button>
    </form>
  );
}

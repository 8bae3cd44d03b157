import { Search } from "lucide-react";
import { type ReactElement, useRef, useState } from "react";
import { localTime } from "../text/local-time.ts";
import type { TimeRange } from "../time/range.ts";
import { Input } from "../ui/field.tsx";
import { useShortcut } from "../ui/shortcuts.ts";
import { InvisibleCharacters } from "./invisible-characters.tsx";
import { TimeControl } from "./time-control.tsx";

interface Props {
  readonly placeholder: string;
  readonly q: string;
  readonly range: TimeRange;
  readonly onSearch: (q: string) => void;
  readonly onTime: (range: TimeRange) => void;
}

/** The filter field and the time of a list. The text takes effect with Enter, or when the field loses the focus. */
export function ListBar({ placeholder, q, range, onSearch, onTime }: Props): ReactElement {
  const field = useRef<HTMLInputElement>(null);
  const [typed, setTyped] = useState(q);
  const [known, setKnown] = useState(q);
  if (known !== q) {
    setKnown(q);
    setTyped(q);
  }
  useShortcut({ keys: "/", label: "Filter the list", run: () => field.current?.focus() });
  const commit = (): void => {
    if (typed.trim() !== q) onSearch(typed.trim());
  };
  return (
    <search aria-label="Filters" className="mb-3 flex flex-wrap items-center gap-2">
      <div className="relative min-w-0 flex-1 basis-72">
        <Search
          className="pointer-events-none absolute start-2.5 top-2 size-4 text-faint max-lg:top-2.5"
          aria-hidden="true"
        />
        <Input
          ref={field}
          type="search"
          aria-label="Filter"
          placeholder={placeholder}
          className="ps-8.5"
          value={typed}
          maxLength={256}
          onChange={(event) => setTyped(event.target.value)}
          onBlur={commit}
          onKeyDown={(event) => {
            if (event.key === "Enter") commit();
          }}
        />
      </div>
      <TimeControl range={range} fitted={undefined} onChange={onTime} />
      <InvisibleCharacters text={typed} />
    </search>
  );
}

/** Shows what a list does not count. */
export function Uncounted({
  from,
  uncounted,
}: {
  readonly from: string | null;
  readonly uncounted: number;
}): ReactElement | null {
  if (from === null && uncounted === 0) return null;
  return (
    <p className="mb-2 text-soft">
      {from !== null && `Calls are counted from ${localTime(from)} on. `}
      {uncounted > 0 &&
        `${uncounted.toLocaleString("en")} records are not counted yet. The gateway counts them now: reload in a minute.`}
    </p>
  );
}

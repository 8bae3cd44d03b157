import { Autocomplete } from "@base-ui/react/autocomplete";
import { ListFilter, X } from "lucide-react";
import { type ReactElement, useCallback, useRef, useState } from "react";
import type { GatewayApi } from "../api/gateway.ts";
import { useLoaded } from "../page/use-loaded.ts";
import { Button } from "../ui/button.tsx";
import { cx } from "../ui/classes.ts";
import { POPUP, POSITIONER } from "../ui/popup.tsx";
import { useShortcut } from "../ui/shortcuts.ts";
import { Shown } from "../ui/shown.tsx";
import { type KnownValues, knownValues } from "./call.ts";
import {
  type FilterPart,
  type Filters,
  filtersOf,
  type View,
  valuesOf,
  withoutValue,
  withValue,
} from "./filter.ts";

interface Props {
  readonly api: GatewayApi;
  readonly view: View;
  readonly filters: Filters;
  readonly onChange: (filters: Filters) => void;
}

/** A value that can be selected for a filter. */
interface Proposal {
  readonly part: FilterPart;
  readonly text: string;
}

interface Group {
  readonly value: string;
  readonly items: readonly Proposal[];
}

/** Values suggested at once per filter; typing finds others. */
const MAX_EACH = 8;

/** Returns the values that contain the typed text, grouped by filter, after what the text itself means. */
function propose(
  parts: readonly FilterPart[],
  known: KnownValues,
  filters: Filters,
  typed: string,
): readonly Group[] {
  const text = typed.trim();
  const [, name = "", value = ""] = /^(\w+):\s*(.+)$/.exec(text) ?? [];
  const named = parts.find((part) => part.name === name.toLowerCase());
  const search = parts.find((part) => part.name === "q");
  const own: Group[] = [];
  if (named !== undefined) own.push({ value: "", items: [{ part: named, text: value }] });
  else if (search !== undefined && text !== "") {
    own.push({ value: "", items: [{ part: search, text }] });
  }
  const wanted = text.toLowerCase();
  const groups = parts.map((part): Group => {
    const held = new Set(valuesOf(filters, part));
    const all = part.values ?? known[part.name] ?? [];
    const isMeant = part.label.toLowerCase().startsWith(wanted);
    const found = all.filter(
      (each) => !held.has(each) && (isMeant || each.toLowerCase().includes(wanted)),
    );
    return {
      value: part.label,
      items: found.slice(0, MAX_EACH).map((each) => ({ part, text: each })),
    };
  });
  return [...own, ...groups.filter(({ items }) => items.length > 0)];
}

const labelOf = ({ part, text }: Proposal): string =>
  part.name === "q" ? `Search for “${text}”` : `${part.label}: ${text}`;

/** Shows the active filters, each with a button that removes it. */
function Chips({ view, filters, onChange }: Omit<Props, "api">): ReactElement | null {
  const held = filtersOf(view).flatMap((part) =>
    valuesOf(filters, part).map((value) => ({ part, value })),
  );
  if (held.length === 0) return null;
  return (
    <ul aria-label="Filters that apply" className="flex flex-wrap items-center gap-1.5">
      {held.map(({ part, value }) => (
        <li
          key={`${part.name} ${value}`}
          className="flex max-w-full items-center rounded-md bg-accent-soft ps-2 text-[0.8125rem] text-accent"
        >
          <span className="min-w-0 truncate">
            {part.label}: <Shown text={value} />
          </span>
          <button
            type="button"
            aria-label={`Remove ${part.label}: ${value}`}
            className="rounded-md p-1 hover:bg-hover max-lg:p-2"
            onClick={() => onChange(withoutValue(filters, part, value))}
          >
            <X className="size-3.5" aria-hidden="true" />
          </button>
        </li>
      ))}
      <li>
        <Button variant="quiet" size="sm" onClick={() => onChange({})}>
          Clear filters
        </Button>
      </li>
    </ul>
  );
}

/** One field for all filters. It suggests values seen in past calls, and searches for any other text. */
export function FilterBar({ api, view, filters, onChange }: Props): ReactElement {
  const [typed, setTyped] = useState("");
  const [isOpen, setIsOpen] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  const ask = useCallback((signal: AbortSignal) => api.get("listCallValues", {}, signal), [api]);
  const [{ value }] = useLoaded(ask, undefined, ["calls", "values"]);
  const known = value === undefined ? {} : knownValues(value);
  const parts = filtersOf(view);
  const groups = propose(parts, known, filters, typed);
  useShortcut({ keys: "/", label: "Filter the list", run: () => field.current?.focus() });
  return (
    <>
      <Autocomplete.Root
        items={groups}
        mode="none"
        autoHighlight
        openOnInputClick
        open={isOpen && groups.length > 0}
        onOpenChange={setIsOpen}
        value={typed}
        onValueChange={(text, { reason }) => reason !== "item-press" && setTyped(text)}
        itemToStringValue={labelOf}
      >
        <div className="relative min-w-0 flex-1 basis-72 max-sm:order-first max-sm:basis-full">
          <ListFilter
            className="pointer-events-none absolute start-2.5 top-2 size-4 text-faint max-lg:top-2.5"
            aria-hidden="true"
          />
          <Autocomplete.Input
            ref={field}
            aria-label="Filter"
            placeholder="Filter by server, tool, client, status, or any text"
            className="h-8 w-full rounded-md border border-edge bg-raised ps-8.5 pe-2.5 max-lg:min-h-9"
          />
        </div>
        <Autocomplete.Portal>
          <Autocomplete.Positioner className={POSITIONER} sideOffset={4} align="start">
            <Autocomplete.Popup
              className={cx(
                POPUP,
                "max-h-[min(26rem,var(--available-height))] w-(--anchor-width) overflow-auto overscroll-contain p-1 scroll-thin",
              )}
            >
              <Autocomplete.List>
                {(group: Group) => (
                  <Autocomplete.Group key={group.value} items={group.items}>
                    {group.value !== "" && (
                      <Autocomplete.GroupLabel className="px-2 pt-2 pb-1 text-xs font-medium text-faint">
                        {group.value}
                      </Autocomplete.GroupLabel>
                    )}
                    <Autocomplete.Collection>
                      {(item: Proposal) => (
                        <Autocomplete.Item
                          key={`${item.part.name} ${item.text}`}
                          value={item}
                          className="truncate rounded px-2 py-1 select-none data-[highlighted]:bg-accent-soft data-[highlighted]:text-accent"
                          onClick={() => {
                            setTyped("");
                            setIsOpen(false);
                            onChange(withValue(filters, item.part, item.text));
                          }}
                        >
                          <Shown text={group.value === "" ? labelOf(item) : item.text} />
                        </Autocomplete.Item>
                      )}
                    </Autocomplete.Collection>
                  </Autocomplete.Group>
                )}
              </Autocomplete.List>
            </Autocomplete.Popup>
          </Autocomplete.Positioner>
        </Autocomplete.Portal>
      </Autocomplete.Root>
      <div className="order-last basis-full empty:hidden">
        <Chips
          {...{ view, filters }}
          onChange={(next) => {
            // The button goes with its filter, and would take the focus with it.
            field.current?.focus();
            onChange(next);
          }}
        />
      </div>
    </>
  );
}

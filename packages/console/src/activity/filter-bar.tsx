import { Autocomplete } from "@base-ui/react/autocomplete";
import { MAX_QUERY, parseQuery } from "@touchstone/gateway/api";
import { ListFilter, X } from "lucide-react";
import { type ReactElement, useCallback, useId, useRef, useState } from "react";
import type { GatewayApi } from "../api/gateway.ts";
import { useLoaded } from "../page/use-loaded.ts";
import { visible } from "../text/visible.ts";
import { Button } from "../ui/button.tsx";
import { cx } from "../ui/classes.ts";
import { ExternalText } from "../ui/external-text.tsx";
import { POPUP, POSITIONER } from "../ui/popup.tsx";
import { useShortcut } from "../ui/shortcuts.ts";
import { knownValues } from "./call.ts";
import {
  type ActivityView,
  type Filters,
  filtersOf,
  filterValues,
  keysOf,
  queryText,
  withoutValue,
  withTerms,
} from "./filter.ts";
import { type Proposal, type ProposalGroup, propose } from "./proposals.ts";

interface Props {
  readonly api: GatewayApi;
  readonly view: ActivityView;
  readonly filters: Filters;
  readonly onChange: (filters: Filters) => void;
}

/** Shows the active filters, each with a button that removes it. */
function Chips({ view, filters, onChange }: Omit<Props, "api">): ReactElement | null {
  const held = filtersOf(view).flatMap((part) =>
    [false, true].flatMap((isExcluded) =>
      filterValues(filters, part, isExcluded).map((value) => ({ part, value, isExcluded })),
    ),
  );
  if (held.length === 0) return null;
  return (
    <ul aria-label="Filters that apply" className="flex flex-wrap items-center gap-1.5">
      {held.map(({ part, value, isExcluded }) => {
        const label = isExcluded ? `${part.label}: not ` : `${part.label}: `;
        return (
          <li
            key={`${label} ${value}`}
            className="flex max-w-full items-center rounded-md bg-accent-soft ps-2 text-[0.8125rem] text-accent"
          >
            <span className="min-w-0 truncate">
              {label}
              <ExternalText text={value} />
            </span>
            <button
              type="button"
              aria-label={visible(`Remove ${label}${value}`)}
              className="rounded-md p-1 hover:bg-hover max-lg:p-2"
              onClick={() => onChange(withoutValue(filters, part, value, isExcluded))}
            >
              <X className="size-3.5" aria-hidden="true" />
            </button>
          </li>
        );
      })}
      <li>
        <Button variant="quiet" size="sm" onClick={() => onChange({})}>
          Clear filters
        </Button>
      </li>
    </ul>
  );
}

/** Shows what is wrong with a query, under its field. */
function Problems({ id, problems }: { readonly id: string; readonly problems: readonly string[] }) {
  return (
    <div id={id} role="alert" className="order-last basis-full text-bad empty:hidden">
      {problems.map((problem) => (
        <p key={problem}>
          <ExternalText text={problem} />
        </p>
      ))}
    </div>
  );
}

/** One field for all filters. It suggests values seen in past calls, and searches for any other text. */
export function FilterBar({ api, view, filters, onChange }: Props): ReactElement {
  const [typed, setTyped] = useState("");
  const [isOpen, setIsOpen] = useState(false);
  /** What was wrong with the last text that the user entered. */
  const [refused, setRefused] = useState<readonly string[]>([]);
  const field = useRef<HTMLInputElement>(null);
  const problemsId = useId();
  const ask = useCallback((signal: AbortSignal) => api.get("listCallValues", {}, signal), [api]);
  const [{ value }] = useLoaded(ask, undefined, ["calls", "values"]);
  const known = value === undefined ? {} : knownValues(value);
  const groups = propose(view, known, filters, typed);
  // An address may have values that are not sent to the gateway.
  const { problems } = parseQuery(queryText(view, filters), keysOf(view));
  const shown = refused.length > 0 ? refused : problems;
  const apply = (proposal: Proposal): void => {
    setIsOpen(false);
    setRefused(proposal.problems);
    if (proposal.problems.length > 0) return;
    setTyped("");
    onChange(withTerms(filters, proposal.terms));
  };
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
        onValueChange={(text, { reason }) => {
          if (reason === "item-press") return;
          setTyped(text);
          setRefused([]);
        }}
        itemToStringValue={({ label }: Proposal) => label}
      >
        <div className="relative min-w-0 flex-1 basis-72 max-sm:order-first max-sm:basis-full">
          <ListFilter
            className="pointer-events-none absolute start-2.5 top-2 size-4 text-faint max-lg:top-2.5"
            aria-hidden="true"
          />
          <Autocomplete.Input
            ref={field}
            aria-label="Filter"
            aria-invalid={shown.length > 0}
            aria-describedby={problemsId}
            maxLength={MAX_QUERY}
            placeholder='Filter: status:blocked -tool:echo "any text"'
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
                {(group: ProposalGroup) => (
                  <Autocomplete.Group key={group.value} items={group.items}>
                    {group.value !== "" && (
                      <Autocomplete.GroupLabel className="px-2 pt-2 pb-1 text-xs font-medium text-faint">
                        {group.value}
                      </Autocomplete.GroupLabel>
                    )}
                    <Autocomplete.Collection>
                      {(item: Proposal) => (
                        <Autocomplete.Item
                          key={item.label}
                          value={item}
                          className="truncate rounded px-2 py-1 select-none data-[highlighted]:bg-accent-soft data-[highlighted]:text-accent"
                          onClick={() => apply(item)}
                        >
                          <ExternalText text={item.label} />
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
      <Problems id={problemsId} problems={shown} />
      <div className="order-last basis-full empty:hidden">
        <Chips
          {...{ view, filters }}
          onChange={(next) => {
            // The button disappears with its filter, and the focus would be lost with it.
            field.current?.focus();
            onChange(next);
          }}
        />
      </div>
    </>
  );
}

import { type KeyboardEvent, type ReactElement, useRef } from "react";
import { visible } from "../text/visible.ts";
import { cx } from "../ui/classes.ts";
import type { Union } from "./expansion.ts";
import { CONTROL_CLASS } from "./inputs.tsx";

/** With more branches than this, they are shown as a list. */
const MAX_TABS = 6;

interface Props {
  readonly union: Union;
  readonly name: string;
  readonly onPick: (index: number) => void;
}

/**
 * Shows the branches of a union as tabs (https://www.w3.org/WAI/ARIA/apg/patterns/tabs/, activated by Enter, since
 * another branch changes the value). Many branches are shown as a select.
 */
export function UnionTabs({ union, name, onPick }: Props): ReactElement {
  const { names, index: chosen } = union;
  const list = useRef<HTMLDivElement>(null);
  const label = `Kind of ${name || "value"}`;
  if (names.length > MAX_TABS) {
    return (
      <select
        className={cx(CONTROL_CLASS, "mb-2 max-w-md")}
        aria-label={label}
        value={chosen}
        onChange={({ target }) => onPick(Number(target.value))}
      >
        {names.map((each, index) => (
          <option key={each} value={index}>
            {visible(each)}
          </option>
        ))}
      </select>
    );
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    const tabs = [...(list.current?.querySelectorAll<HTMLElement>('[role="tab"]') ?? [])];
    const at = tabs.indexOf(document.activeElement as HTMLElement);
    if (step === undefined || at < 0) return;
    event.preventDefault();
    tabs[(at + step + tabs.length) % tabs.length]?.focus();
  };
  return (
    <div
      ref={list}
      role="tablist"
      aria-label={label}
      className="mb-2 flex w-fit max-w-full flex-wrap gap-0.5 rounded-md bg-sunken p-0.5"
      onKeyDown={onKeyDown}
    >
      {names.map((each, index) => (
        <button
          key={each}
          type="button"
          role="tab"
          aria-selected={index === chosen}
          tabIndex={index === chosen ? 0 : -1}
          className={cx(
            "min-h-7 rounded px-2.5 text-[0.8125rem] max-lg:min-h-9",
            index === chosen ? "bg-raised font-medium shadow-sm" : "text-soft hover:text-text",
          )}
          onClick={() => onPick(index)}
        >
          {visible(each)}
        </button>
      ))}
    </div>
  );
}

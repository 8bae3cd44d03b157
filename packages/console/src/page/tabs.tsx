import { type KeyboardEvent, type ReactElement, type ReactNode, useId, useState } from "react";

export interface Tab {
  readonly id: string;
  readonly label: string;
  readonly panel: () => ReactNode;
}

interface Props {
  readonly label: string;
  readonly tabs: readonly [Tab, ...Tab[]];
  /** The id of the tab that is open; the tabs keep it themselves where it is absent. */
  readonly open?: string;
  readonly onOpen?: (id: string) => void;
}

function stepOf(key: string, at: number, count: number): number | undefined {
  if (key === "ArrowRight") return (at + 1) % count;
  if (key === "ArrowLeft") return (at + count - 1) % count;
  if (key === "Home") return 0;
  return key === "End" ? count - 1 : undefined;
}

/** Tabs (https://www.w3.org/WAI/ARIA/apg/patterns/tabs/): arrows, Home and End go from one to another. */
export function Tabs({ label, tabs, open, onOpen }: Props): ReactElement {
  const id = useId();
  const [own, setOwn] = useState(tabs[0].id);
  const current = tabs.find((tab) => tab.id === (open ?? own)) ?? tabs[0];
  const show = (tab: string): void => {
    setOwn(tab);
    onOpen?.(tab);
  };
  const onKeyDown = (event: KeyboardEvent<HTMLElement>): void => {
    const step = stepOf(event.key, tabs.indexOf(current), tabs.length);
    const next = step === undefined ? undefined : tabs[step];
    if (next === undefined) return;
    event.preventDefault();
    show(next.id);
    document.getElementById(`${id}-${next.id}`)?.focus();
  };
  return (
    <>
      <div role="tablist" aria-label={label} className="tabs">
        {tabs.map((tab) => (
          <button
            key={tab.id}
            id={`${id}-${tab.id}`}
            type="button"
            role="tab"
            aria-selected={tab === current}
            aria-controls={`${id}-panel`}
            tabIndex={tab === current ? 0 : -1}
            onClick={() => show(tab.id)}
            onKeyDown={onKeyDown}
          >
            {tab.label}
          </button>
        ))}
      </div>
      <div
        id={`${id}-panel`}
        role="tabpanel"
        aria-labelledby={`${id}-${current.id}`}
        className="panel"
      >
        {current.panel()}
      </div>
    </>
  );
}

import { Tabs as Base } from "@base-ui/react/tabs";
import type { ReactElement, ReactNode } from "react";

export interface Tab {
  readonly id: string;
  readonly label: string;
  readonly panel: () => ReactNode;
}

interface Props {
  readonly label: string;
  readonly tabs: readonly [Tab, ...Tab[]];
  /** The id of the open tab; if absent, the tabs manage it themselves. */
  readonly open?: string;
  readonly onOpen?: (id: string) => void;
}

/** Tabs (https://www.w3.org/WAI/ARIA/apg/patterns/tabs/): the arrow keys, Home and End move between them. */
export function Tabs({ label, tabs, open, onOpen }: Props): ReactElement {
  const held = open === undefined ? { defaultValue: tabs[0].id } : { value: open };
  return (
    <Base.Root {...held} onValueChange={(id: string) => onOpen?.(id)}>
      <Base.List
        aria-label={label}
        activateOnFocus
        className="flex gap-1 overflow-x-auto border-b border-line scroll-thin"
      >
        {tabs.map(({ id, label: name }) => (
          <Base.Tab
            key={id}
            value={id}
            className="-mb-px border-b-2 border-transparent px-3 py-1.5 font-medium whitespace-nowrap text-soft hover:text-text data-[active]:border-accent data-[active]:text-text forced-colors:not-data-[active]:border-[Canvas]"
          >
            {name}
          </Base.Tab>
        ))}
      </Base.List>
      {tabs.map(({ id, panel }) => (
        // An element in the panel gets the focus, not the panel itself.
        <Base.Panel key={id} value={id} tabIndex={-1} className="py-3 outline-none">
          {panel()}
        </Base.Panel>
      ))}
    </Base.Root>
  );
}

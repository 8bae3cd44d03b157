import { Autocomplete } from "@base-ui/react/autocomplete";
import { Dialog } from "@base-ui/react/dialog";
import { Hash, Moon, Search, Server, SquareTerminal, Sun } from "lucide-react";
import { type ReactElement, useCallback, useEffect, useMemo, useState } from "react";
import type { Api } from "../api/client.ts";
import type { GatewayApi } from "../api/gateway.ts";
import { searchable, searchWords } from "../text/search.ts";
import { cx } from "../ui/classes.ts";
import { ExternalText } from "../ui/external-text.tsx";
import { pageHash } from "./kept-time.ts";
import { PAGE_PARTS } from "./pages.tsx";
import { hashOf, type PageName, toolHash } from "./route.ts";
import { chooseTheme } from "./theme.tsx";
import { useLoaded } from "./use-loaded.ts";

/** Something that the palette can find and run. */
interface Command {
  readonly value: string;
  readonly label: string;
  readonly icon: ReactElement;
  readonly run: () => void;
}

interface Group {
  readonly value: string;
  readonly items: readonly Command[];
}

/** Typing more narrows down longer lists of one kind. */
const MAX_EACH = 8;
const RECORD_ID = /^[0-9A-HJKMNP-TV-Z]{26}$/i;

const go = (hash: string) => (): void => {
  location.hash = hash;
};

/** Commands that are always available. To add an action, add an entry. */
const ACTIONS: readonly Command[] = [
  { value: "theme light", label: "Light theme", icon: <Sun />, run: () => chooseTheme("light") },
  { value: "theme dark", label: "Dark theme", icon: <Moon />, run: () => chooseTheme("dark") },
];

interface Known {
  readonly tools: readonly string[];
  readonly servers: readonly string[];
}

async function load(
  api: Api,
  gateway: GatewayApi | undefined,
  signal: AbortSignal,
): Promise<Known> {
  const [tools, servers] = await Promise.allSettled([
    api.list({ signal }),
    gateway?.get("listServers", {}, signal),
  ]);
  return {
    tools: tools.status === "fulfilled" ? tools.value.map(({ name }) => name) : [],
    servers: servers.status === "fulfilled" ? (servers.value ?? []).map(({ name }) => name) : [],
  };
}

/** Returns the commands that contain every word of a text, by group. */
function find(groups: readonly Group[], typed: string): readonly Group[] {
  const words = searchWords(typed);
  return groups
    .map(({ value, items }) => {
      const has = ({ value: text, label }: Command) =>
        words.every((word) => searchable(`${text} ${label}`).includes(word));
      return { value, items: items.filter(has).slice(0, MAX_EACH) };
    })
    .filter(({ items }) => items.length > 0);
}

function groupsOf({ tools, servers }: Known, names: readonly PageName[]): readonly Group[] {
  const pages = names.map((name): Command => {
    const { label, icon: Icon } = PAGE_PARTS[name];
    return { value: `page ${name}`, label, icon: <Icon />, run: () => go(pageHash(name))() };
  });
  return [
    { value: "Pages", items: pages },
    // Before the entries that still load, which would otherwise be pushed down.
    { value: "Actions", items: ACTIONS },
    {
      value: "Tools",
      items: tools.map((name) => ({
        value: `tool ${name}`,
        label: name,
        icon: <SquareTerminal />,
        run: go(toolHash(name)),
      })),
    },
    {
      value: "Servers",
      items: servers.map((name) => ({
        value: `server ${name}`,
        label: name,
        icon: <Server />,
        run: go(hashOf("servers", name)),
      })),
    },
  ];
}

/** Returns whether a key types a character rather than triggering a shortcut. */
export function isTypingKey({ key, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean {
  return key.length === 1 && !ctrlKey && !metaKey && !altKey;
}

/** A field that finds pages, tools, servers and actions, and runs the selected one. */
export default function Palette({
  api,
  gateway,
  pages,
  typedAhead,
  onClose,
}: {
  readonly api: Api;
  readonly gateway: GatewayApi | undefined;
  /** The pages to offer. */
  readonly pages: readonly PageName[];
  /** Returns what was typed while the palette's code was loading. */
  readonly typedAhead: () => string;
  readonly onClose: () => void;
}): ReactElement {
  const [typed, setTyped] = useState(typedAhead);
  // The field takes the focus before the dialog could remember which element had it.
  const [before] = useState(() => ({ focus: document.activeElement, hash: location.hash }));
  useEffect(() => {
    // Include what was typed after this was rendered but before the field has the focus.
    setTyped(typedAhead());
    const take = (event: KeyboardEvent): void => {
      if (event.target instanceof HTMLInputElement || !isTypingKey(event)) return;
      event.preventDefault();
      event.stopPropagation();
      setTyped((before) => before + event.key);
    };
    addEventListener("keydown", take, true);
    return () => removeEventListener("keydown", take, true);
  }, [typedAhead]);
  const ask = useCallback((signal: AbortSignal) => load(api, gateway, signal), [api, gateway]);
  const [{ value }] = useLoaded(ask, undefined, ["palette"]);
  const all = useMemo(() => groupsOf(value ?? { tools: [], servers: [] }, pages), [value, pages]);
  const id = typed.trim();
  const record: Group = {
    value: "Records",
    items: [{ value: id, label: `Record ${id}`, icon: <Hash />, run: go(hashOf("activity", id)) }],
  };
  const found = [
    ...(pages.includes("activity") && RECORD_ID.test(id) ? [record] : []),
    ...find(all, typed),
  ];
  return (
    <Dialog.Root open onOpenChange={(open) => !open && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 z-40 bg-shade" />
        <Dialog.Popup
          aria-label="Command palette"
          finalFocus={() =>
            location.hash === before.hash && before.focus instanceof HTMLElement && before.focus
          }
          className="fixed inset-x-3 top-[10vh] z-50 mx-auto max-w-xl overflow-hidden rounded-xl border border-line bg-surface shadow-pop outline-none"
        >
          <Autocomplete.Root
            open
            inline
            items={found}
            mode="none"
            autoHighlight="always"
            keepHighlight
            value={typed}
            onValueChange={(text, { reason }) => reason !== "item-press" && setTyped(text)}
            itemToStringValue={(item: Command) => item.label}
          >
            <div className="flex items-center gap-2 border-b border-line px-4">
              <Search className="size-4 shrink-0 text-faint" aria-hidden="true" />
              <Autocomplete.Input
                // Focus at once, so that no letter is lost.
                autoFocus
                aria-label="Search pages, tools, servers and actions"
                placeholder="Search pages, tools, servers and actions"
                className="h-12 w-full bg-transparent outline-none"
              />
            </div>
            <Autocomplete.Empty className="px-4 py-6 text-center text-soft empty:hidden">
              {found.length === 0 ? "Nothing matches." : null}
            </Autocomplete.Empty>
            <Autocomplete.List className="max-h-[min(50vh,calc(88vh-3rem-var(--toasts)))] overflow-auto p-2 scroll-thin empty:p-0">
              {(group: Group) => (
                <Autocomplete.Group key={group.value} items={group.items}>
                  <Autocomplete.GroupLabel className="px-2 pt-2 pb-1 text-xs font-medium text-faint">
                    {group.value}
                  </Autocomplete.GroupLabel>
                  <Autocomplete.Collection>
                    {(item: Command) => (
                      <Autocomplete.Item
                        key={item.value}
                        value={item}
                        onClick={() => {
                          item.run();
                          onClose();
                        }}
                        className={cx(
                          "flex cursor-default items-center gap-2.5 rounded-md px-2 py-1.5 data-[highlighted]:bg-accent-soft data-[highlighted]:text-accent",
                          "[&_svg]:size-4 [&_svg]:shrink-0",
                        )}
                      >
                        {item.icon}
                        <span className="min-w-0 truncate">
                          <ExternalText text={item.label} />
                        </span>
                      </Autocomplete.Item>
                    )}
                  </Autocomplete.Collection>
                </Autocomplete.Group>
              )}
            </Autocomplete.List>
          </Autocomplete.Root>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

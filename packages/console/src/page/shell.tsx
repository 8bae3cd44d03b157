import { Dialog } from "@base-ui/react/dialog";
import { Keyboard, KeyRound, Menu, Search, X } from "lucide-react";
import { type ReactElement, type ReactNode, useEffect, useState } from "react";
import logo from "../style/logo.svg";
import { Button } from "../ui/button.tsx";
import { cx } from "../ui/classes.ts";
import { keysText, useShortcut } from "../ui/shortcuts.ts";
import { PAGE_PARTS } from "./pages.tsx";
import { hashOf, PAGES, type PageName } from "./route.ts";
import { ThemeChoice } from "./theme.tsx";

interface Props {
  readonly title: string;
  readonly project: { readonly name: string; readonly url: string | undefined } | undefined;
  /** The open page; undefined if the address does not match one. */
  readonly page: PageName | undefined;
  /** Whether there are pages other than the tools. */
  readonly hasPages: boolean;
  readonly version: string | undefined;
  /** Where the HTTP API is documented. */
  readonly apiUrl: string;
  readonly onSearch: () => void;
  readonly onShortcuts: () => void;
  readonly onToken: () => void;
  readonly children: ReactNode;
}

function GoTo({ name }: { readonly name: PageName }): null {
  const { label, key } = PAGE_PARTS[name];
  useShortcut({
    keys: `g ${key}`,
    label: `Go to ${label}`,
    run: () => {
      location.hash = hashOf(name);
    },
  });
  return null;
}

/** Navigates between pages. */
function Navigation({ page }: Pick<Props, "page">): ReactElement {
  return (
    <nav aria-label="Pages" className="flex flex-col gap-0.5">
      {PAGES.map((name) => {
        const { label, icon: Icon } = PAGE_PARTS[name];
        return (
          <a
            key={name}
            href={hashOf(name)}
            aria-current={name === page ? "page" : undefined}
            className={cx(
              "flex h-8 items-center gap-2.5 rounded-md px-2.5 font-medium text-soft hover:bg-hover hover:text-text max-lg:h-10",
              "aria-[current]:bg-accent-soft aria-[current]:text-accent forced-colors:aria-[current]:underline",
            )}
          >
            <Icon className="size-4 shrink-0" aria-hidden="true" />
            {label}
          </a>
        );
      })}
    </nav>
  );
}

function Project({ project }: Pick<Props, "project">): ReactElement | null {
  if (project === undefined) return null;
  if (project.url === undefined) return <span>{project.name}</span>;
  return (
    <a href={project.url} rel="noopener noreferrer" className="underline underline-offset-2">
      {project.name}
    </a>
  );
}

/** The bottom of the sidebar: what applies to every page. */
function Foot({
  version,
  apiUrl,
  project,
  hasPages,
  onShortcuts,
  onToken,
}: Omit<Props, "children">): ReactElement {
  return (
    <div className="flex flex-col gap-2">
      <div className="flex gap-1">
        <Button variant="quiet" size="sm" onClick={onToken}>
          <KeyRound aria-hidden="true" />
          Token
        </Button>
        <Button variant="quiet" size="sm" onClick={onShortcuts}>
          <Keyboard aria-hidden="true" />
          Shortcuts
        </Button>
      </div>
      <ThemeChoice />
      <p className="flex min-h-5 flex-wrap gap-x-3 px-1 text-xs leading-5 text-soft">
        {version !== undefined && <span>Touchstone {version}</span>}
        {hasPages && (
          <a href={apiUrl} className="underline underline-offset-2">
            API
          </a>
        )}
        <Project project={project} />
      </p>
    </div>
  );
}

/** The frame around each page: a sidebar on wide screens, a bar with a menu on small ones. */
export function Shell(props: Props): ReactElement {
  const { title, page, hasPages, onSearch, children } = props;
  const [isOpen, setIsOpen] = useState(false);
  const label = page === undefined ? "Page not found" : PAGE_PARTS[page].label;
  useEffect(() => {
    document.title = hasPages ? `${label} – ${title}` : title;
  }, [hasPages, label, title]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the menu closes when it has led somewhere
  useEffect(() => setIsOpen(false), [page]);
  const name = (
    <a
      href="#/"
      className="flex min-w-0 items-center gap-2 rounded-md text-[0.9375rem] font-semibold"
    >
      {/* The name beside it says what it is. */}
      <img src={logo} alt="" width={24} height={24} className="size-6 shrink-0" />
      <span className="truncate">{title}</span>
    </a>
  );
  const search = (
    <Button variant="default" className="flex-1 justify-between text-soft" onClick={onSearch}>
      <span className="inline-flex items-center gap-2">
        <Search aria-hidden="true" />
        Search
      </span>
      <kbd className="font-sans text-xs text-faint">{keysText("Mod+k")}</kbd>
    </Button>
  );
  const rest = (
    <>
      <div className="flex">{search}</div>
      {hasPages && <Navigation page={page} />}
      <div className="mt-auto">
        <Foot {...props} />
      </div>
    </>
  );
  return (
    <div className="lg:grid lg:min-h-dvh lg:grid-cols-[14rem_minmax(0,1fr)]">
      {hasPages && PAGES.map((each) => <GoTo key={each} name={each} />)}
      <aside
        aria-label="Console"
        className="sticky top-0 hidden h-dvh flex-col gap-4 overflow-y-auto border-e border-line bg-surface p-3 scroll-thin lg:flex"
      >
        <div className="flex h-9 items-center px-1">{name}</div>
        {rest}
      </aside>
      <header className="sticky top-0 z-30 flex h-13 items-center gap-2 border-b border-line bg-surface px-3 lg:hidden">
        <Dialog.Root open={isOpen} onOpenChange={setIsOpen}>
          <Dialog.Trigger render={<Button variant="quiet" size="icon" aria-label="Menu" />}>
            <Menu aria-hidden="true" />
          </Dialog.Trigger>
          <Dialog.Portal>
            <Dialog.Backdrop className="fixed inset-0 z-40 bg-shade" />
            <Dialog.Popup className="fixed top-0 bottom-(--toasts) start-0 z-50 flex w-72 max-w-[85vw] flex-col gap-4 overflow-y-auto border-e border-line bg-surface p-3 shadow-pop outline-none">
              <div className="flex items-center justify-between gap-2">
                <Dialog.Title className="min-w-0 truncate font-semibold">{title}</Dialog.Title>
                <Dialog.Close
                  render={<Button variant="quiet" size="icon" aria-label="Close the menu" />}
                >
                  <X aria-hidden="true" />
                </Dialog.Close>
              </div>
              {rest}
            </Dialog.Popup>
          </Dialog.Portal>
        </Dialog.Root>
        {name}
        <Button
          variant="quiet"
          size="icon"
          aria-label="Search"
          className="ms-auto"
          onClick={onSearch}
        >
          <Search aria-hidden="true" />
        </Button>
      </header>
      <main className="mx-auto w-full max-w-[110rem] min-w-0 p-4 pb-[calc(1rem+var(--toasts))] lg:p-6 lg:pb-[calc(1.5rem+var(--toasts))]">
        {children}
      </main>
    </div>
  );
}

import { Keyboard, Menu, Search } from "lucide-react";
import { type ReactElement, type ReactNode, Suspense, useEffect, useRef, useState } from "react";
import logo from "../style/logo.svg";
import { Badge } from "../ui/badge.tsx";
import { Button } from "../ui/button.tsx";
import { cx } from "../ui/classes.ts";
import { useListKeys } from "../ui/list-keys.ts";
import { keysText, useShortcut } from "../ui/shortcuts.ts";
import type { PageBadges } from "./attention.ts";
import { ErrorBoundary } from "./error-boundary.tsx";
import { pageHash, usePageHash } from "./kept-time.ts";
import { lazyPart } from "./lazy-part.tsx";
import { PAGE_PARTS } from "./pages.tsx";
import type { PageName } from "./route.ts";
import { ThemeChoice } from "./theme.tsx";

// Only small screens have it.
const MenuDrawer = lazyPart(() => import("./menu-drawer.tsx"));

interface Props {
  readonly title: string;
  readonly project: { readonly name: string; readonly url: string | undefined } | undefined;
  /** The open page; undefined if the address does not match one. */
  readonly page: PageName | undefined;
  /** The pages to offer; none if there are only the tools. */
  readonly pages: readonly PageName[];
  /** What waits for an operator on a page. */
  readonly badges: PageBadges;
  readonly version: string | undefined;
  readonly onSearch: () => void;
  readonly onShortcuts: () => void;
  /** Who is signed in. */
  readonly account: ReactNode;
  /** Saves the document of the HTTP API; undefined if this user cannot read it. */
  readonly onApi: (() => void) | undefined;
  /** URL of the playground; undefined if the server has none. */
  readonly playground: string | undefined;
  readonly children: ReactNode;
}

function GoTo({ name }: { readonly name: PageName }): null {
  const { label, key } = PAGE_PARTS[name];
  useShortcut({
    keys: `g ${key}`,
    label: `Go to ${label}`,
    run: () => {
      location.hash = pageHash(name);
    },
  });
  return null;
}

/** Navigates between pages. */
function Navigation({
  page,
  pages,
  badges,
}: Pick<Props, "page" | "pages" | "badges">): ReactElement {
  const hash = usePageHash();
  return (
    <nav aria-label="Pages" className="flex flex-col gap-0.5">
      {pages.map((name) => {
        const { label, icon: Icon } = PAGE_PARTS[name];
        return (
          <a
            key={name}
            href={hash(name)}
            aria-current={name === page ? "page" : undefined}
            className={cx(
              "flex h-8 items-center gap-2.5 rounded-md px-2.5 font-medium text-soft hover:bg-hover hover:text-text max-lg:h-10",
              "aria-[current]:bg-accent-soft aria-[current]:text-accent forced-colors:aria-[current]:underline",
            )}
          >
            <Icon className="size-4 shrink-0" aria-hidden="true" />
            {label}
            {badges[name] !== undefined && (
              <span className="ms-auto">
                <Badge tone="warn" title={badges[name].text}>
                  <span aria-hidden="true">{badges[name].count}</span>
                  <span className="sr-only">{badges[name].text}</span>
                </Badge>
              </span>
            )}
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
  project,
  account,
  onApi,
  playground,
  onShortcuts,
}: Omit<Props, "children">): ReactElement {
  return (
    <div className="flex flex-col gap-2">
      <div className="flex flex-wrap gap-1">
        {account}
        <Button variant="quiet" size="sm" onClick={onShortcuts}>
          <Keyboard aria-hidden="true" />
          Shortcuts
        </Button>
      </div>
      <ThemeChoice />
      <p className="flex min-h-5 flex-wrap gap-x-3 px-1 text-xs leading-5 text-soft">
        {version !== undefined && <span>Touchstone {version}</span>}
        {onApi !== undefined && (
          <button type="button" className="underline underline-offset-2" onClick={onApi}>
            API
          </button>
        )}
        {playground !== undefined && (
          <a className="underline underline-offset-2" href={playground}>
            Playground
          </a>
        )}
        <Project project={project} />
      </p>
    </div>
  );
}

/** The frame around each page: a sidebar on wide screens, a bar with a menu on small ones. */
export function Shell(props: Props): ReactElement {
  const { title, page, pages, badges, onSearch, children } = props;
  const hasPages = pages.length > 0;
  useListKeys();
  const [isOpen, setIsOpen] = useState(false);
  const main = useRef<HTMLElement>(null);
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
      {hasPages && <Navigation page={page} pages={pages} badges={badges} />}
      <div className="mt-auto">
        <Foot {...props} />
      </div>
    </>
  );
  return (
    <div className="lg:grid lg:min-h-dvh lg:grid-cols-[14rem_minmax(0,1fr)]">
      {/* biome-ignore lint/a11y/useValidAnchor: it leads to a part of this page */}
      <a
        href="#main"
        className="sr-only z-50 rounded-md border border-line bg-surface px-3 py-2 focus:not-sr-only focus:fixed focus:start-2 focus:top-2"
        onClick={(event) => {
          // The address names a page.
          event.preventDefault();
          main.current?.focus();
        }}
      >
        Skip to content
      </a>
      {pages.map((each) => (
        <GoTo key={each} name={each} />
      ))}
      <aside
        aria-label="Console"
        className="sticky top-0 hidden h-dvh flex-col gap-4 overflow-y-auto border-e border-line bg-surface p-3 scroll-thin lg:flex"
      >
        <div className="flex h-9 items-center px-1">{name}</div>
        {rest}
      </aside>
      <header className="sticky top-0 z-30 flex h-13 items-center gap-2 border-b border-line bg-surface px-3 lg:hidden">
        <Button
          variant="quiet"
          size="icon"
          aria-label="Menu"
          aria-haspopup="dialog"
          aria-expanded={isOpen}
          onClick={() => setIsOpen(true)}
        >
          <Menu aria-hidden="true" />
        </Button>
        {isOpen && (
          <ErrorBoundary fallback={null}>
            <Suspense fallback={null}>
              <MenuDrawer title={title} onClose={() => setIsOpen(false)}>
                {rest}
              </MenuDrawer>
            </Suspense>
          </ErrorBoundary>
        )}
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
      <main
        id="main"
        ref={main}
        tabIndex={-1}
        className="outline-none mx-auto w-full max-w-[110rem] min-w-0 p-4 pb-[calc(1rem+var(--toasts))] lg:p-6 lg:pb-[calc(1.5rem+var(--toasts))]"
      >
        {children}
      </main>
    </div>
  );
}

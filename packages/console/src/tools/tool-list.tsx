import {
  memo,
  type ReactElement,
  type ReactNode,
  useDeferredValue,
  useLayoutEffect,
  useMemo,
  useState,
} from "react";
import type { ToolSummary } from "../api/tool-summary.ts";
import { toolHash } from "../page/route.ts";
import { visible } from "../text/visible.ts";
import { Button } from "../ui/button.tsx";
import { cx } from "../ui/classes.ts";
import { ExternalText } from "../ui/external-text.tsx";
import { Input } from "../ui/field.tsx";
import { LIST, ROW, useOpenedRow } from "../ui/list-keys.ts";
import type { KnownTools, ToolFacts } from "./known-tools.ts";
import { plainLine, searchTools } from "./tool.ts";

/** Maximum number of tools listed; searching finds the rest. */
const MAX_LISTED = 600;

interface Props {
  readonly tools: readonly ToolSummary[];
  readonly open: string | undefined;
  readonly onReload: () => void;
  /** What is known about the tools besides their declarations; absent if no gateway serves them. */
  readonly known?: KnownTools | undefined;
  /** Notes about the list. */
  readonly children?: ReactNode;
}

function countText(found: number, all: number): string {
  if (all === 0) return "No tools.";
  if (found === 0) return "No tool matches. Try fewer words.";
  const listed = found > MAX_LISTED ? `, the first ${MAX_LISTED} are listed` : "";
  return `${found} of ${all} ${all === 1 ? "tool" : "tools"}${listed}`;
}

/** Scrolls only the list, to bring the open item into view. */
function showOpen(list: HTMLElement | null): void {
  const item = list?.querySelector("[aria-current]");
  if (!list || !item) return;
  const [box, at] = [list.getBoundingClientRect(), item.getBoundingClientRect()];
  if (at.top < box.top) list.scrollTop -= box.top - at.top;
  else if (at.bottom > box.bottom) list.scrollTop += at.bottom - box.bottom;
}

interface Group {
  /** Empty if the tools belong to a single server. */
  readonly server: string;
  readonly tools: readonly ToolSummary[];
}

/** Returns the tools by server, in the order of their first tools. */
function grouped(tools: readonly ToolSummary[], known: KnownTools | undefined): readonly Group[] {
  const groups = new Map<string, ToolSummary[]>();
  for (const tool of tools) {
    const server = known?.serverOf(tool.name) ?? "";
    const group = groups.get(server);
    if (group === undefined) groups.set(server, [tool]);
    else group.push(tool);
  }
  return [...groups].map(([server, ofServer]) => ({ server, tools: ofServer }));
}

const DOTS = {
  strict: "bg-good",
  warn: "bg-warn",
  off: "border border-edge",
} as const;

/** A tool in one line. */
const Row = memo(function Row({
  tool,
  shown,
  isOpen,
  facts,
}: {
  readonly tool: ToolSummary;
  /** Its name, without the name of its server. */
  readonly shown: string;
  readonly isOpen: boolean;
  readonly facts: ToolFacts | undefined;
}): ReactElement {
  const { title, description, name } = tool;
  const about = [title ?? "", plainLine(description)].filter((text) => text !== "").join(": ");
  return (
    <li className="[contain-intrinsic-size:auto_1.75rem] [content-visibility:auto]">
      <a
        {...ROW}
        href={toolHash(name)}
        title={visible(about)}
        aria-current={isOpen ? "page" : undefined}
        className="flex items-center gap-2 rounded-md border border-transparent px-2 py-0.5 hover:bg-hover max-md:py-1.5 aria-[current]:border-accent aria-[current]:bg-accent-soft forced-colors:not-aria-[current]:border-[Canvas]"
      >
        {facts?.mode !== undefined && (
          <span className={cx("size-2 shrink-0 rounded-full", DOTS[facts.mode])}>
            <span className="sr-only">{facts.mode}: </span>
          </span>
        )}
        <code className="min-w-0 flex-1 truncate font-mono text-[0.8125rem] font-medium">
          <ExternalText text={shown} />
        </code>
        {facts?.calls !== undefined && (
          <span className="shrink-0 text-xs text-soft tabular-nums">
            {facts.calls.toLocaleString("en")}
            <span className="sr-only"> calls</span>
            {facts.blocked !== undefined && facts.blocked > 0 && (
              <span className="text-bad">
                {" / "}
                {facts.blocked.toLocaleString("en")}
                <span className="sr-only"> blocked</span>
              </span>
            )}
          </span>
        )}
      </a>
    </li>
  );
});

/** Lists the tools, with a search over their names, titles and descriptions. */
export function ToolList({ tools, open, onReload, known, children }: Props): ReactElement {
  const [typed, setTyped] = useState("");
  const query = useDeferredValue(typed);
  const found = useMemo(() => searchTools(tools, query), [tools, query]);
  // On a phone, the open tool takes the place of the list.
  const list = useOpenedRow<HTMLUListElement>(open === undefined);
  // biome-ignore lint/correctness/useExhaustiveDependencies: with other tools the item stands elsewhere
  useLayoutEffect(() => showOpen(list.current), [open, tools]);
  return (
    <nav className="tool-list flex flex-col gap-2" aria-label="Tools">
      <Input
        type="search"
        aria-label="Search tools"
        placeholder="Search tools"
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
      />
      <p className="count flex items-center justify-between gap-2 text-[0.8125rem] text-soft">
        <span role="status">{countText(found.length, tools.length)}</span>
        <Button variant="quiet" size="sm" onClick={onReload}>
          Reload
        </Button>
      </p>
      {children}
      <ul ref={list} {...LIST} className="max-h-[75vh] overflow-auto px-0.5 scroll-thin">
        {grouped(found.slice(0, MAX_LISTED), known).map(({ server, tools: ofServer }) => [
          server !== "" && (
            <li key={`server ${server}`} className="sticky top-0 z-10 bg-page px-2 pt-2 pb-0.5">
              <h2 className="text-[0.8125rem] font-semibold text-soft wrap-anywhere">
                <ExternalText text={server} />
              </h2>
            </li>
          ),
          ...ofServer.map((tool, index) => (
            <Row
              // biome-ignore lint/suspicious/noArrayIndexKey: a server may name two tools alike
              key={`${index} ${tool.name}`}
              tool={tool}
              shown={server === "" ? tool.name : tool.name.slice(server.length + 1)}
              isOpen={tool.name.toWellFormed() === open}
              facts={known?.of(tool.name)}
            />
          )),
        ])}
      </ul>
    </nav>
  );
}

import {
  type ReactElement,
  type ReactNode,
  useDeferredValue,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from "react";
import type { ToolSummary } from "../api/tool-summary.ts";
import { toolHash } from "../page/route.ts";
import { Button } from "../ui/button.tsx";
import { Input } from "../ui/field.tsx";
import { Shown } from "../ui/shown.tsx";
import { Badges } from "./badges.tsx";
import { plainLine, searchTools } from "./tool.ts";

/** Maximum number of tools listed; searching finds the rest. */
const MAX_LISTED = 200;

interface Props {
  readonly tools: readonly ToolSummary[];
  readonly open: string | undefined;
  readonly onReload: () => void;
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

/** Lists the tools, with a search over their names, titles and descriptions. */
export function ToolList({ tools, open, onReload, children }: Props): ReactElement {
  const [typed, setTyped] = useState("");
  const query = useDeferredValue(typed);
  const found = useMemo(() => searchTools(tools, query), [tools, query]);
  const list = useRef<HTMLUListElement>(null);
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
      <ul ref={list} className="max-h-[75vh] overflow-auto px-0.5 scroll-thin">
        {found.slice(0, MAX_LISTED).map((tool, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a server may name two tools alike
          <li key={`${index} ${tool.name}`}>
            <a
              href={toolHash(tool.name)}
              aria-current={tool.name.toWellFormed() === open ? "page" : undefined}
              className="flex flex-col gap-0.5 rounded-md border border-transparent px-2 py-1.5 hover:bg-hover aria-[current]:border-accent aria-[current]:bg-accent-soft forced-colors:not-aria-[current]:border-[Canvas]"
            >
              <code className="font-mono text-[0.8125rem] font-medium">
                <Shown text={tool.name} />
              </code>
              <Badges tool={tool} />
              {tool.title !== undefined && (
                <span>
                  <Shown text={tool.title} />
                </span>
              )}
              <span className="line-clamp-2 text-[0.8125rem] text-soft">
                <Shown text={plainLine(tool.description)} />
              </span>
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

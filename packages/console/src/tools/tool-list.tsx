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
import { Shown } from "../page/shown.tsx";
import { Badges } from "./badges.tsx";
import { searchTools } from "./tool.ts";

/** More are found by searching, not by scrolling. */
const MAX_LISTED = 200;

interface Props {
  readonly tools: readonly ToolSummary[];
  readonly open: string | undefined;
  readonly onReload: () => void;
  /** What is to be known of the list. */
  readonly children?: ReactNode;
}

function countText(found: number, all: number): string {
  if (all === 0) return "No tools.";
  if (found === 0) return "No tool matches. Try fewer words.";
  const listed = found > MAX_LISTED ? `, the first ${MAX_LISTED} are listed` : "";
  return `${found} of ${all} ${all === 1 ? "tool" : "tools"}${listed}`;
}

/** Scrolls a list, and nothing around it, so that the item that is open is in sight. */
function showOpen(list: HTMLElement | null): void {
  const item = list?.querySelector("[aria-current]");
  if (!list || !item) return;
  const [box, at] = [list.getBoundingClientRect(), item.getBoundingClientRect()];
  if (at.top < box.top) list.scrollTop -= box.top - at.top;
  else if (at.bottom > box.bottom) list.scrollTop += at.bottom - box.bottom;
}

/** The tools, with a search over their names, titles and descriptions. */
export function ToolList({ tools, open, onReload, children }: Props): ReactElement {
  const [typed, setTyped] = useState("");
  const query = useDeferredValue(typed);
  const found = useMemo(() => searchTools(tools, query), [tools, query]);
  const list = useRef<HTMLUListElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: with other tools the item stands elsewhere
  useLayoutEffect(() => showOpen(list.current), [open, tools]);
  return (
    <nav className="tool-list" aria-label="Tools">
      <label className="search">
        <span>Search tools</span>
        <input type="search" value={typed} onChange={(event) => setTyped(event.target.value)} />
      </label>
      <p className="count">
        <span role="status">{countText(found.length, tools.length)}</span>{" "}
        <button type="button" className="quiet" onClick={onReload}>
          Reload
        </button>
      </p>
      {children}
      <ul ref={list}>
        {found.slice(0, MAX_LISTED).map((tool, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a server may name two tools alike
          <li key={`${index} ${tool.name}`}>
            <a
              href={toolHash(tool.name)}
              aria-current={tool.name.toWellFormed() === open ? "page" : undefined}
            >
              <code>
                <Shown text={tool.name} />
              </code>
              <Badges tool={tool} />
              {tool.title !== undefined && (
                <span className="title">
                  <Shown text={tool.title} />
                </span>
              )}
              <span className="description">
                <Shown text={tool.description.slice(0, 200)} />
              </span>
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

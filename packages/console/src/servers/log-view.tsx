import { ArrowDownToLine, Copy } from "lucide-react";
import {
  memo,
  type ReactElement,
  useDeferredValue,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from "react";
import type { GatewayApi } from "../api/gateway.ts";
import { Failure } from "../page/failure.tsx";
import { Loading } from "../page/loading.tsx";
import { clockTime } from "../text/local-time.ts";
import { visible } from "../text/visible.ts";
import { Button } from "../ui/button.tsx";
import { cx } from "../ui/classes.ts";
import { copyText } from "../ui/copy.tsx";
import { ExternalText } from "../ui/external-text.tsx";
import { Input, Toggle } from "../ui/field.tsx";
import { type NumberedLine, type ServerLogState, useServerLog } from "./use-server-log.ts";

/** Distance from the end, in pixels, that still counts as the end. */
const NEAR = 24;

const TONES = { stderr: "text-text", info: "text-soft", error: "text-bad" } as const;

/** Returns a line for the clipboard. */
function lineText({ time, pid, text, cut }: NumberedLine): string {
  return `${time} ${pid ?? "-"} ${visible(text)}${cut === true ? " …" : ""}`;
}

const Line = memo(function Line({ line }: { readonly line: NumberedLine }): ReactElement {
  const { time, kind, text, pid, cut } = line;
  return (
    <li
      className={cx(
        "grid grid-cols-[5.5rem_4rem_minmax(0,1fr)] gap-x-2 px-3 py-px font-mono text-xs leading-5 [contain-intrinsic-size:auto_1.25rem] [content-visibility:auto] max-sm:grid-cols-[5.5rem_minmax(0,1fr)]",
        TONES[kind],
      )}
    >
      <time dateTime={time} title={time} className="text-soft tabular-nums">
        {clockTime(new Date(time))}
      </time>
      <span className="text-end text-soft tabular-nums max-sm:hidden">{pid}</span>
      <span className="min-w-0 wrap-anywhere whitespace-pre-wrap">
        {kind === "error" && <span className="sr-only">Error: </span>}
        <ExternalText text={text} />
        {cut === true && <em className="text-soft"> … the line continues</em>}
      </span>
    </li>
  );
});

/** Shows where the log is if this gateway does not have it. */
function Elsewhere({ place }: { readonly place: ServerLogState["place"] }): ReactElement | null {
  if (place === "client") {
    return (
      <p className="mb-3 max-w-3xl text-soft">
        A client starts this server with <code className="font-mono">touchstone wrap</code>, so its
        stderr is in the log that the client keeps of its MCP servers.
      </p>
    );
  }
  if (place === "disabled") {
    return <p className="mb-3 text-soft">The server is disabled, so nothing new is logged.</p>;
  }
  return null;
}

function countText(shown: number, all: number, missed: number): string {
  const lines =
    shown === all ? `${all} ${all === 1 ? "line" : "lines"}` : `${shown} of ${all} lines`;
  return missed === 0 ? lines : `${lines}; ${missed.toLocaleString("en")} more were dropped`;
}

/** Shows the last lines that a server wrote to its stderr, with its starts and ends, and follows them. */
export default function LogView({
  api,
  server,
}: {
  readonly api: GatewayApi;
  readonly server: string;
}): ReactElement {
  const [isLive, setIsLive] = useState(true);
  const [typed, setTyped] = useState("");
  const query = useDeferredValue(typed.trim().toLowerCase());
  const { place, lines, missed, error } = useServerLog(api, server, isLive);
  const shown = useMemo(
    () => (query === "" ? lines : lines.filter(({ text }) => text.toLowerCase().includes(query))),
    [lines, query],
  );
  const list = useRef<HTMLUListElement>(null);
  const [isAtEnd, setIsAtEnd] = useState(true);
  // biome-ignore lint/correctness/useExhaustiveDependencies: other lines move the end
  useLayoutEffect(() => {
    if (isAtEnd && list.current) list.current.scrollTop = list.current.scrollHeight;
  }, [shown, isAtEnd]);
  return (
    <section aria-label="Log">
      <Elsewhere place={place} />
      {error !== undefined && <Failure error={error} />}
      {place === undefined && error === undefined && <Loading what="log" />}
      {place !== undefined && (
        <>
          <div className="mb-2 flex flex-wrap items-center gap-x-4 gap-y-2">
            <Input
              type="search"
              className="w-56!"
              aria-label="Find in the log"
              placeholder="Find in the log"
              value={typed}
              onChange={(event) => setTyped(event.target.value)}
            />
            <Toggle checked={isLive} onChange={setIsLive}>
              Follow live
            </Toggle>
            <span className="text-[0.8125rem] text-soft" role="status">
              {countText(shown.length, lines.length, missed)}
            </span>
            <span className="ms-auto flex gap-2">
              {!isAtEnd && (
                <Button size="sm" onClick={() => setIsAtEnd(true)}>
                  <ArrowDownToLine aria-hidden="true" />
                  To the end
                </Button>
              )}
              <Button
                size="sm"
                onClick={() => void copyText(shown.map(lineText).join("\n"), "log")}
              >
                <Copy aria-hidden="true" />
                Copy log
              </Button>
            </span>
          </div>
          <ul
            ref={list}
            aria-label="Lines"
            // Scrolled with the arrow keys.
            // biome-ignore lint/a11y/noNoninteractiveTabindex: axe wants what scrolls to be reached with the keyboard
            tabIndex={0}
            className="max-h-[65vh] min-h-24 overflow-auto rounded-lg border border-line bg-surface py-2 scroll-thin"
            onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) =>
              setIsAtEnd(scrollHeight - scrollTop - clientHeight < NEAR)
            }
          >
            {shown.map((line) => (
              <Line key={line.at} line={line} />
            ))}
            {shown.length === 0 && (
              <li className="px-3 py-2 text-soft">
                {lines.length === 0 ? "Nothing was logged yet." : "No line matches."}
              </li>
            )}
          </ul>
          <p className="mt-2 max-w-3xl text-[0.8125rem] text-soft">
            The last 1,000 lines, or 262,144 characters, since this gateway started. They are kept
            in its memory only. Secrets of known forms and the values of the server's variables are
            hidden.
          </p>
        </>
      )}
    </section>
  );
}

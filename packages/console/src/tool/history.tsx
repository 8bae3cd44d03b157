import { Pencil, Play } from "lucide-react";
import type { ReactElement } from "react";
import type { Run } from "../call/runs.ts";
import { clockTime } from "../text/local-time.ts";
import { Button } from "../ui/button.tsx";
import { ExternalText } from "../ui/external-text.tsx";
import { outcomeWords } from "./outcome.tsx";

interface Props {
  readonly runs: readonly Run[];
  readonly canRun: boolean;
  /** Puts the arguments of a run into the form. */
  readonly onEdit: (run: Run) => void;
  /** Sends the arguments of a run again. */
  readonly onAgain: (run: Run) => void;
  /** Shows the outcome of a run. */
  readonly onShow: (run: Run) => void;
  readonly shown: Run | undefined;
  readonly onClear: () => void;
}

function lineOf(text: string): string {
  return text.replaceAll(/\s+/g, " ").slice(0, 200);
}

/** Lists the tool's calls made since the page was opened, to view, resend or edit. */
export function History(props: Props): ReactElement | null {
  const { runs, canRun, shown, onEdit, onAgain, onShow, onClear } = props;
  const calls = runs.filter(({ kind }) => kind === "call");
  if (calls.length === 0) return null;
  return (
    <section aria-label="Your calls" className="rounded-lg border border-line bg-surface">
      <header className="flex items-center justify-between px-4 py-2">
        <h3 className="font-semibold">Your calls</h3>
        <Button variant="quiet" size="sm" onClick={onClear}>
          Clear
        </Button>
      </header>
      <ul className="divide-y divide-line border-t border-line">
        {calls.map((run) => {
          const time = clockTime(new Date(run.at));
          return (
            <li
              key={run.id}
              className="flex flex-wrap items-center gap-x-3 gap-y-1 px-4 py-1.5 aria-[current=true]:bg-hover"
              aria-current={run === shown}
            >
              <button
                type="button"
                className="min-w-0 flex-1 basis-48 truncate text-start font-mono text-[0.8125rem] hover:underline"
                onClick={() => onShow(run)}
              >
                <span className="sr-only">Show the call of {time}: </span>
                <ExternalText text={lineOf(run.sent)} />
              </button>
              <span className="text-[0.8125rem] text-soft tabular-nums">
                {time} · {outcomeWords(run)}
              </span>
              <span className="flex gap-1">
                <Button
                  variant="quiet"
                  size="sm"
                  aria-label={`Edit the arguments of the call of ${time}`}
                  onClick={() => onEdit(run)}
                >
                  <Pencil aria-hidden="true" />
                  Edit
                </Button>
                <Button
                  variant="quiet"
                  size="sm"
                  disabled={!canRun}
                  aria-label={`Repeat the call of ${time}`}
                  onClick={() => onAgain(run)}
                >
                  <Play aria-hidden="true" />
                  Repeat
                </Button>
              </span>
            </li>
          );
        })}
      </ul>
    </section>
  );
}

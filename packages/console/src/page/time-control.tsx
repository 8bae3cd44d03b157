import { Clock, ZoomOut } from "lucide-react";
import { type FormEvent, type ReactElement, useId, useState } from "react";
import {
  AUTOMATIC,
  between,
  boundsOf,
  LENGTHS,
  rangeText,
  type TimeRange,
  zoomedOut,
} from "../time/range.ts";
import { Button } from "../ui/button.tsx";
import { cx } from "../ui/classes.ts";
import { Input } from "../ui/field.tsx";
import { Popover } from "../ui/popup.tsx";
import { useShortcut } from "../ui/shortcuts.ts";

const two = (value: number): string => String(value).padStart(2, "0");

/** Returns a moment in the format of a date and time field: in the local time zone, to the second. */
function fieldText(time: number): string {
  const date = new Date(time);
  const day = [date.getFullYear(), two(date.getMonth() + 1), two(date.getDate())].join("-");
  return `${day}T${[date.getHours(), date.getMinutes(), date.getSeconds()].map(two).join(":")}`;
}

const lowered = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);

interface Props {
  /** The range in the address. */
  readonly range: TimeRange;
  /** What the page shows if the range is automatic; undefined until it is known. */
  readonly fitted: TimeRange | undefined;
  readonly onChange: (range: TimeRange) => void;
}

/** Two fields for an absolute range. */
function Absolute({ range, onChange }: Omit<Props, "fitted">): ReactElement {
  const [begin] = useState(() => boundsOf(range, Date.now()));
  const [since, setSince] = useState(begin === undefined ? "" : fieldText(begin.since));
  const [until, setUntil] = useState(begin === undefined ? "" : fieldText(begin.until));
  const [problem, setProblem] = useState<string>();
  const id = useId();
  const apply = (event: FormEvent): void => {
    event.preventDefault();
    const [from, to] = [Date.parse(since), Date.parse(until)];
    if (Number.isNaN(from) || Number.isNaN(to)) setProblem("Enter both dates and times.");
    else if (from >= to) setProblem("The end must be after the beginning.");
    else onChange(between(from, to));
  };
  const fields = [
    ["From", since, setSince],
    ["To", until, setUntil],
  ] as const;
  return (
    <form className="flex flex-col gap-2 border-t border-line p-3" onSubmit={apply}>
      {fields.map(([label, value, set]) => (
        <label
          key={label}
          htmlFor={`${id}${label}`}
          className="flex items-center justify-between gap-2"
        >
          <span className="shrink-0 text-soft">{label}</span>
          <Input
            id={`${id}${label}`}
            type="datetime-local"
            step={1}
            className="max-w-56"
            value={value}
            aria-invalid={problem !== undefined}
            aria-describedby={problem === undefined ? undefined : id}
            onChange={(event) => set(event.target.value)}
          />
        </label>
      ))}
      {problem !== undefined && (
        <p id={id} role="alert" className="text-bad">
          {problem}
        </p>
      )}
      <Button type="submit" size="sm" className="self-end">
        Apply
      </Button>
    </form>
  );
}

/**
 * Lets the user choose the time that a page covers: a length before now, two moments, or the length that fits the
 * calls. Next to it, a button zooms out.
 */
export function TimeControl({ range, fitted, onChange }: Props): ReactElement {
  const [isOpen, setIsOpen] = useState(false);
  const now = Date.now();
  const isAutomatic = range.since === "" && range.until === "";
  const shown = isAutomatic ? (fitted ?? AUTOMATIC) : range;
  const isFitted = isAutomatic && fitted !== undefined;
  const text = isFitted ? `Auto: ${lowered(rangeText(shown, now))}` : rangeText(shown, now);
  const choose = (next: TimeRange): void => {
    setIsOpen(false);
    onChange(next);
  };
  const zoomOut = (): void => onChange(zoomedOut(shown, Date.now()));
  const canZoom = shown.since !== "";
  useShortcut({ keys: "z", label: "Zoom out in time", run: zoomOut }, canZoom);
  const choices = [AUTOMATIC, ...LENGTHS.map((since): TimeRange => ({ since, until: "" }))];
  return (
    <div className="flex items-center gap-1">
      <Popover
        label="Time"
        className="w-72 max-w-[90vw]"
        open={isOpen}
        onOpenChange={setIsOpen}
        trigger={
          <Button
            // As wide as a fitted range, which is known only after the button is drawn.
            className="min-w-47"
            aria-label={`Time: ${text}`}
            title={isAutomatic ? "Lists show all time; charts fit the calls" : undefined}
          >
            <Clock aria-hidden="true" />
            {text}
          </Button>
        }
      >
        <ul className="grid grid-cols-2 gap-0.5 p-1.5">
          {choices.map((choice) => {
            const isChosen = choice.since === range.since && choice.until === range.until;
            return (
              <li key={choice.since}>
                <button
                  type="button"
                  aria-pressed={isChosen}
                  className={cx(
                    "h-8 w-full rounded-md px-2 text-start hover:bg-hover max-lg:h-10",
                    isChosen && "bg-accent-soft text-accent",
                  )}
                  onClick={() => choose(choice)}
                >
                  {rangeText(choice, now)}
                </button>
              </li>
            );
          })}
        </ul>
        <Absolute range={shown} onChange={choose} />
      </Popover>
      <Button
        size="icon"
        aria-label="Zoom out"
        title="Zoom out (z)"
        disabled={!canZoom}
        onClick={zoomOut}
      >
        <ZoomOut aria-hidden="true" />
      </Button>
    </div>
  );
}

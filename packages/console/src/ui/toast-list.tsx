import { Toast as Base } from "@base-ui/react/toast";
import { Check, CircleX, Info, X } from "lucide-react";
import { type ReactElement, useEffect } from "react";
import { Button } from "./button.tsx";
import { cx } from "./classes.ts";
import { ExternalText } from "./external-text.tsx";
import { Input } from "./field.tsx";
import { onSaid, type TextField, type ToastContent, takeSaid } from "./toast.ts";

interface Data {
  readonly field: TextField | undefined;
  readonly onTyped: (typed: string) => void;
}

const manager: ReturnType<typeof Base.createToastManager<Data>> = Base.createToastManager<Data>();

/** How long a toast is shown, in milliseconds; one with a button is shown longer. */
const STAY = 5_000;
const STAY_WITH_ACTION = 30_000;

/** Maximum number of characters of a title and of a text: both may contain external names. */
const MAX_TITLE = 200;
const MAX_TEXT = 2_000;

/** How many messages are shown at once; further ones wait. */
const MAX_SHOWN = 2;

function cut(text: string, most: number): ReactElement {
  return <ExternalText text={text.length > most ? `${text.slice(0, most)}…` : text} />;
}

/** Shows a message. */
function show({ title, text, kind = "good", action }: ToastContent): void {
  let isDone = false;
  let typed = "";
  const id = manager.add({
    title: cut(title, MAX_TITLE),
    description: text === undefined ? undefined : cut(text, MAX_TEXT),
    type: kind,
    data: {
      field: action?.field,
      onTyped: (text) => {
        typed = text;
      },
    },
    timeout: action === undefined ? STAY : STAY_WITH_ACTION,
    priority: kind === "bad" ? "high" : "low",
    ...(action === undefined
      ? {}
      : {
          actionProps: {
            children: action.label,
            // The button can still be pressed while the message fades.
            onClick: () => {
              if (isDone) return;
              isDone = true;
              manager.close(id);
              action.run(typed);
            },
          },
        }),
  });
}

const ICONS: Readonly<Record<string, ReactElement>> = {
  good: <Check className="text-good" aria-hidden="true" />,
  bad: <CircleX className="text-bad" aria-hidden="true" />,
  plain: <Info className="text-info" aria-hidden="true" />,
};

/** Keeps the height of the messages in `--toasts`, so that everything else stays above them. */
function keepRoom(viewport: HTMLElement | null): (() => void) | undefined {
  if (viewport === null) return undefined;
  const { style } = document.documentElement;
  const observer = new ResizeObserver(() => {
    const { offsetHeight } = viewport;
    // Includes the space below and above the messages.
    const room = offsetHeight === 0 ? "0px" : `calc(${offsetHeight}px + 1.5rem)`;
    style.setProperty("--toasts", room);
  });
  observer.observe(viewport);
  return () => {
    observer.disconnect();
    style.removeProperty("--toasts");
  };
}

function Toasts(): ReactElement {
  const { toasts } = Base.useToastManager<Data>();
  return (
    <Base.Viewport
      ref={keepRoom}
      className="fixed end-4 bottom-4 z-70 flex w-[min(24rem,calc(100vw-2rem))] flex-col gap-2"
    >
      {toasts.map((toast) => (
        <Base.Root
          key={toast.id}
          toast={toast}
          className={cx(
            "flex max-h-[25dvh] items-start gap-2 overflow-y-auto scroll-thin data-limited:hidden",
            "rounded-lg border border-line bg-raised p-3 shadow-pop [&_svg]:size-4",
            "transition-[opacity,translate] duration-150 data-[ending-style]:opacity-0",
            "data-[starting-style]:translate-y-2 data-[starting-style]:opacity-0",
          )}
        >
          <span className="mt-0.5">{ICONS[toast.type ?? "plain"]}</span>
          <div className="min-w-0 flex-1">
            <Base.Title className="font-medium" />
            <Base.Description className="text-soft" />
            {toast.data?.field !== undefined && (
              <Input
                className="mt-1.5"
                aria-label={toast.data.field.label}
                placeholder={toast.data.field.label}
                maxLength={toast.data.field.maxLength}
                onChange={(event) => toast.data?.onTyped(event.target.value)}
              />
            )}
          </div>
          <Base.Action render={<Button size="sm" />} />
          <Base.Close render={<Button variant="quiet" size="sm" aria-label="Dismiss" />}>
            <X aria-hidden="true" />
          </Base.Close>
        </Base.Root>
      ))}
    </Base.Viewport>
  );
}

function showAll(): void {
  for (const said of takeSaid()) show(said);
}

/** The region where messages of {@link say} appear. */
export default function ToastList(): ReactElement {
  useEffect(() => onSaid(showAll), []);
  return (
    <Base.Provider toastManager={manager} limit={MAX_SHOWN}>
      <Base.Portal>
        <Toasts />
      </Base.Portal>
    </Base.Provider>
  );
}

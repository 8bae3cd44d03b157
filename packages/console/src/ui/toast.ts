/** A text field in a toast. */
export interface TextField {
  readonly label: string;
  readonly maxLength: number;
}

/** The content of a toast. */
export interface ToastContent {
  readonly title: string;
  readonly text?: string;
  readonly kind?: "good" | "bad" | "plain";
  /** A button in it, such as "Undo". `run` gets what was typed into the field above it, if there is one. */
  readonly action?: {
    readonly label: string;
    readonly field?: TextField;
    readonly run: (typed: string) => void;
  };
}

/** Messages that are not shown yet, oldest first. */
const waiting: ToastContent[] = [];
const listeners = new Set<() => void>();

/** Shows a short message at the edge of the page, and announces it to screen readers. */
export function showToast(said: ToastContent): void {
  waiting.push(said);
  for (const listener of listeners) listener();
}

/** Calls `listener` after each message, and once if one waits already. Returns a function that stops that. */
export function onSaid(listener: () => void): () => void {
  listeners.add(listener);
  if (waiting.length > 0) listener();
  return () => listeners.delete(listener);
}

/** Returns the waiting messages, oldest first, and removes them. */
export function takeSaid(): readonly ToastContent[] {
  return waiting.splice(0);
}

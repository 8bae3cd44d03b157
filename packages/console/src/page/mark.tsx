import type { ReactElement } from "react";
import { Shown } from "./shown.tsx";

const KINDS: Readonly<Record<string, string>> = {
  success: "good",
  allowed: "good",
  running: "good",
  error: "bad",
  blocked: "bad",
  rejected: "bad",
  failed: "bad",
  warning: "warning",
  silent: "warning",
  paused: "warning",
  "other configuration": "warning",
};

/** How something stands, in a word and a colour; the word alone tells it. */
export function Mark({ text }: { readonly text: string }): ReactElement {
  const kind = Object.hasOwn(KINDS, text) ? KINDS[text] : "plain";
  return (
    <span className={`status-mark ${kind}`}>
      <Shown text={text} />
    </span>
  );
}

import type { ReactElement, ReactNode } from "react";

export type NoticeKind = "good" | "bad" | "warning" | "plain";

const MARKS: Readonly<Record<NoticeKind, string>> = {
  good: "✓",
  bad: "✗",
  warning: "!",
  plain: "·",
};

/** A message. Its kind is told by a mark as well as by a colour. */
export function Notice({
  kind,
  children,
}: {
  readonly kind: NoticeKind;
  readonly children: ReactNode;
}): ReactElement {
  return (
    <div className={`notice ${kind}`}>
      <span className="mark" aria-hidden="true">
        {MARKS[kind]}
      </span>
      <div>{children}</div>
    </div>
  );
}

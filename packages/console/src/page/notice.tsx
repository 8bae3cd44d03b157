import { Check, CircleX, Info, type LucideIcon, TriangleAlert } from "lucide-react";
import type { ReactElement, ReactNode } from "react";
import { cx } from "../ui/classes.ts";

export type NoticeKind = "good" | "bad" | "warning" | "plain";

const LOOKS: Readonly<
  Record<NoticeKind, readonly [icon: LucideIcon, ground: string, mark: string]>
> = {
  good: [Check, "border-good/30 bg-good-soft", "text-good"],
  bad: [CircleX, "border-bad/30 bg-bad-soft", "text-bad"],
  warning: [TriangleAlert, "border-warn/30 bg-warn-soft", "text-warn"],
  plain: [Info, "border-line bg-surface", "text-faint"],
};

/** A message. Both an icon and a color show its kind. */
export function Notice({
  kind,
  children,
}: {
  readonly kind: NoticeKind;
  readonly children: ReactNode;
}): ReactElement {
  const [Icon, ground, mark] = LOOKS[kind];
  return (
    <div className={cx("notice my-2 flex gap-2.5 rounded-lg border px-3 py-2.5", kind, ground)}>
      <Icon className={cx("mt-0.5 size-4 shrink-0", mark)} aria-hidden="true" />
      <div className="min-w-0 flex-1 space-y-2">{children}</div>
    </div>
  );
}

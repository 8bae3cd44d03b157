import type { LucideIcon } from "lucide-react";
import type { ReactElement, ReactNode } from "react";

/** Shown if there is no content yet: explains why, and what to do about it. */
export function EmptyState({
  icon: Icon,
  title,
  children,
}: {
  readonly icon: LucideIcon;
  readonly title: string;
  readonly children?: ReactNode;
}): ReactElement {
  return (
    <div className="mx-auto flex max-w-2xl flex-col items-center gap-3 px-4 py-12 text-center">
      <span className="rounded-full bg-sunken p-3 text-faint">
        <Icon className="size-6" aria-hidden="true" />
      </span>
      <p className="text-base font-semibold" role="status">
        {title}
      </p>
      {children}
    </div>
  );
}

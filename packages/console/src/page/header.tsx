import { RotateCw } from "lucide-react";
import type { ReactElement, ReactNode } from "react";
import { Button } from "../ui/button.tsx";
import { cx } from "../ui/classes.ts";

/** The header of a page: its name, a sentence about it, and actions for the whole page. */
export function PageHeader({
  title,
  hint,
  actions,
}: {
  readonly title: ReactNode;
  readonly hint?: ReactNode;
  readonly actions?: ReactNode;
}): ReactElement {
  return (
    <header className="mb-4 flex min-h-9 flex-wrap items-center justify-between gap-x-4 gap-y-2">
      <div className={cx("min-w-0", hint !== undefined && "md:flex-1 md:basis-72")}>
        <h1 className="text-xl leading-7 font-semibold tracking-tight">{title}</h1>
        {hint !== undefined && <p className="text-soft">{hint}</p>}
      </div>
      {actions !== undefined && <div className="flex flex-wrap items-center gap-2">{actions}</div>}
    </header>
  );
}

/** Reloads what a page shows. */
export function ReloadButton({ onClick }: { readonly onClick: () => void }): ReactElement {
  return (
    <Button onClick={onClick}>
      <RotateCw aria-hidden="true" />
      Reload
    </Button>
  );
}

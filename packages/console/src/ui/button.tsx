import type { ComponentProps, ReactElement } from "react";
import { cx } from "./classes.ts";

type Variant = "default" | "primary" | "quiet" | "danger";
type Size = "md" | "sm" | "icon";

const VARIANTS: Readonly<Record<Variant, string>> = {
  default: "border-edge bg-raised text-text hover:bg-hover",
  primary: "border-accent bg-accent text-on-accent hover:brightness-110",
  quiet: "border-transparent bg-transparent text-soft hover:bg-hover hover:text-text",
  danger: "border-bad bg-transparent text-bad hover:bg-bad-soft",
};
const SIZES: Readonly<Record<Size, string>> = {
  md: "h-8 px-3",
  sm: "h-7 px-2 text-[0.8125rem]",
  icon: "size-8 justify-center",
};

interface Look {
  readonly variant?: Variant | undefined;
  readonly size?: Size | undefined;
}

/** Returns a button's classes, for elements that look like one. */
export function buttonClass({ variant = "default", size = "md" }: Look, more?: string): string {
  return cx(
    "inline-flex shrink-0 items-center gap-1.5 rounded-md border font-medium whitespace-nowrap select-none",
    "transition-colors disabled:opacity-50 disabled:pointer-events-none aria-disabled:opacity-50",
    "[&_svg]:size-4 [&_svg]:shrink-0 max-lg:min-h-9",
    VARIANTS[variant],
    SIZES[size],
    more,
  );
}

/** A button. It needs an `aria-label` if it has no text. */
export function Button({
  variant,
  size,
  className,
  ...props
}: ComponentProps<"button"> & Look): ReactElement {
  return <button type="button" {...props} className={buttonClass({ variant, size }, className)} />;
}

/** A link that looks like a button. */
export function ButtonLink({
  variant,
  size,
  className,
  ...props
}: ComponentProps<"a"> & Look & { readonly href: string }): ReactElement {
  return <a {...props} className={buttonClass({ variant, size }, className)} />;
}

/** The classes of a link within text. */
export const LINK_CLASS: string =
  "text-accent underline decoration-accent/40 underline-offset-2 hover:decoration-accent";

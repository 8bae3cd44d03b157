import type { ReactElement, ReactNode } from "react";
import { cx } from "./classes.ts";
import { ExternalText } from "./external-text.tsx";
import { displayState, TONE_FILL, type Tone } from "./tones.ts";

/** A short word on a colored background. */
export function Badge({
  tone = "plain",
  title,
  children,
}: {
  readonly tone?: Tone;
  readonly title?: string | undefined;
  readonly children: ReactNode;
}): ReactElement {
  return (
    <span
      title={title}
      className={cx(
        "inline-flex max-w-full items-center gap-1 rounded px-1.5 text-xs leading-5 font-medium whitespace-nowrap",
        "[&_svg]:size-3 [&_svg]:shrink-0",
        TONE_FILL[tone],
      )}
    >
      {children}
    </span>
  );
}

/** Shows a decision, a status or a server's state, by its name. */
export function StateBadge({ state }: { readonly state: string }): ReactElement {
  const { tone, icon: Icon, label } = displayState(state);
  return (
    <Badge tone={tone}>
      <Icon aria-hidden="true" />
      <ExternalText text={label ?? state} />
    </Badge>
  );
}

import { type ComponentType, lazy, type ReactElement } from "react";

/** A part of the page failed to load. Retry with {@link retryParts}. */
export class PartError extends Error {
  override readonly name: string = "PartError";
  readonly code = "part_unreachable";
}

const failed = new Set<() => void>();
/** The code loader treats a style as loaded once its link is in the page, even if loading failed. */
const lostStyles = new Set<HTMLLinkElement>();
addEventListener(
  "error",
  ({ target }) => {
    if (target instanceof HTMLLinkElement && target.rel === "stylesheet") lostStyles.add(target);
  },
  true,
);

/**
 * Returns a component whose code loads when it is first shown. React remembers a failed load permanently; this
 * component can load again after {@link retryParts}.
 * @param load as returned by `import()`
 */
export function lazyPart<Props extends object>(
  load: () => Promise<{ readonly default: ComponentType<Props> }>,
): (props: Props) => ReactElement {
  const make = (): ComponentType<Props> =>
    lazy(async () => {
      try {
        return await load();
      } catch (cause) {
        failed.add(renew);
        throw new PartError("A part of the page could not be loaded.", { cause });
      }
    });
  let Current = make();
  const renew = (): void => {
    Current = make();
  };
  return function Lazily(props: Props): ReactElement {
    return <Current {...props} />;
  };
}

/** Lets parts that failed to load try again when they are next shown. */
export function retryParts(): void {
  for (const renew of failed) renew();
  failed.clear();
  for (const link of lostStyles) link.replaceWith(link.cloneNode());
  lostStyles.clear();
}

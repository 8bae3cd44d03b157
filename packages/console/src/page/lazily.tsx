import { type ComponentType, lazy, type ReactElement } from "react";

/** A part of the page did not come. Ask for it again by {@link retryParts}. */
export class PartError extends Error {
  override readonly name: string = "PartError";
  readonly code = "part_unreachable";
}

const failed = new Set<() => void>();
/** What loads the code takes a style for loaded once its link is in the page, though it did not come. */
const lostStyles = new Set<HTMLLinkElement>();
addEventListener(
  "error",
  ({ target }) => {
    if (target instanceof HTMLLinkElement && target.rel === "stylesheet") lostStyles.add(target);
  },
  true,
);

/**
 * A component whose code comes when it is first shown. React remembers permanently that it did not come;
 * here it is asked for again behind {@link retryParts}.
 * @param load as `import()` gives it
 */
export function lazily<Props extends object>(
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

/** Makes the parts that did not come be asked for again, once they are shown again. */
export function retryParts(): void {
  for (const renew of failed) renew();
  failed.clear();
  for (const link of lostStyles) link.replaceWith(link.cloneNode());
  lostStyles.clear();
}

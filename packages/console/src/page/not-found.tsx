import { Compass } from "lucide-react";
import type { ReactElement } from "react";
import { ButtonLink } from "../ui/button.tsx";
import { Shown } from "../ui/shown.tsx";

/** What an address shows that names no page. */
export function NotFound({ hash }: { readonly hash: string }): ReactElement {
  return (
    <section
      aria-label="Not found"
      className="mx-auto flex max-w-lg flex-col items-center gap-3 py-16 text-center"
    >
      <Compass className="size-10 text-faint" aria-hidden="true" />
      <h1 className="text-xl font-semibold">Page not found</h1>
      <p className="text-soft">
        The console has no page at{" "}
        <code className="font-mono">
          <Shown text={hash.slice(0, 200)} />
        </code>
        .
      </p>
      <div className="flex flex-wrap justify-center gap-2">
        <ButtonLink href="#/" variant="primary">
          Go to the start
        </ButtonLink>
        <ButtonLink href="#/tools">All tools</ButtonLink>
      </div>
    </section>
  );
}

import type { Attention } from "@touchstone/gateway/api";
import type { ReactElement } from "react";
import { ButtonLink } from "../ui/button.tsx";
import { ExternalText } from "../ui/external-text.tsx";
import { type KnownAttention, WAITING, waitingText } from "./attention.ts";
import { hashOf } from "./route.ts";

/** How many items a line names. */
const MAX_NAMED = 3;

/** A readable name, and the link to its page. */
type Named = readonly [text: string, hash: string];

/** Returns the items of each kind. */
function namedItems({ held, servers, alerts, schemaChanges }: Attention) {
  return {
    held: held.items.map((item): Named => {
      const { server, kind, name, hash } = item;
      const text = `${server}/${kind === "tool" ? name : kind}`;
      return [text, hashOf("pins", "", { server, kind, name, hash })];
    }),
    servers: servers.items.map(({ name }): Named => [name, hashOf("servers", name)]),
    alerts: alerts.items.map(({ place }): Named => [place, hashOf("settings")]),
    schemaChanges: schemaChanges.items.map(
      ({ id, server, tool }): Named => [
        [server, tool].filter((part) => part !== null).join("/"),
        hashOf("changes", id),
      ],
    ),
  };
}

/** Shows above the start page what waits for an operator, and what is unknown. */
export function AttentionBanner({
  attention: { value, error },
}: {
  readonly attention: KnownAttention;
}): ReactElement | null {
  if (value === undefined) {
    if (error === undefined) return null;
    return (
      <p role="status" className="mb-3 rounded-lg border border-line bg-surface px-4 py-2">
        It is unknown whether anything needs your attention: <ExternalText text={error} />
      </p>
    );
  }
  const named = namedItems(value);
  const lines = WAITING.filter(([name]) => value[name].count !== 0);
  if (lines.length === 0) return null;
  return (
    <section
      aria-label="What needs your attention"
      className="mb-3 rounded-lg border border-warn bg-warn-soft px-4 py-1"
    >
      <ul>
        {lines.map(([name, page, noun, state]) => {
          const { count, error: unread } = value[name];
          const items = named[name].slice(0, MAX_NAMED);
          const others = (count ?? 0) - items.length;
          const [only] = items;
          const isOne = count === 1 && only !== undefined;
          return (
            <li key={name} className="flex flex-wrap items-center gap-x-3 gap-y-1 py-1.5">
              <p className="min-w-0 flex-1 basis-60 wrap-anywhere">
                <span className="font-medium">{waitingText(value[name], noun, state)}</span>
                {(items.length > 0 || unread !== undefined) && ": "}
                <ExternalText text={unread ?? items.map(([text]) => text).join(", ")} />
                {others > 0 && ` and ${others.toLocaleString("en")} more`}
              </p>
              <ButtonLink
                size="sm"
                href={isOne ? only[1] : hashOf(page)}
                aria-label={`Review: ${noun}s ${state}`}
              >
                Review
              </ButtonLink>
            </li>
          );
        })}
      </ul>
    </section>
  );
}

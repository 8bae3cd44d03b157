import { type ReactElement, useMemo } from "react";
import { FoldedList } from "../page/folded-list.tsx";
import { Badge } from "../ui/badge.tsx";
import { Card } from "../ui/card.tsx";
import { Diff } from "../ui/diff.tsx";
import { ExternalText } from "../ui/external-text.tsx";
import type { Tone } from "../ui/tones.ts";
import { AnswerFrame, More, Notes } from "./answer-frame.tsx";
import { Choice } from "./choice.tsx";
import type { AdaptedList, ClientCount, Listed } from "./question.ts";
import { useAnswer } from "./use-answer.ts";
import type { ViewProps } from "./view-props.ts";

const TONES: Readonly<Record<string, Tone>> = { error: "bad", warning: "warn" };

/** Something that is wrong with a tool. */
interface Found {
  readonly tool: string;
  readonly path: string;
  readonly severity: string;
  readonly message: string;
  readonly fix: string;
}

function FoundList({
  label,
  found: { items, more },
  none,
}: {
  readonly label: string;
  readonly found: Listed<Found>;
  readonly none: string;
}): ReactElement {
  if (items.length === 0) return <p className="text-soft">{none}</p>;
  return (
    <section aria-label={label}>
      <FoldedList
        className="flex flex-col gap-2"
        items={items.map(({ tool, path, severity, message, fix }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: two findings may be alike
          <li key={index}>
            <Badge tone={TONES[severity] ?? "plain"}>
              {severity === "info" ? "note" : severity}
            </Badge>{" "}
            <code className="font-mono text-[0.8125rem]">
              <ExternalText text={`${tool} ${path}`} />
            </code>{" "}
            <ExternalText text={message} />
            <p className="text-[0.8125rem] text-soft">
              <ExternalText text={fix} />
            </p>
          </li>
        ))}
      />
      <More count={more} />
    </section>
  );
}

const noneText = (count: number): string =>
  `No rule objects to ${count === 1 ? "the tool" : `any of the ${count} tools`}.`;

const countText = ({ errors, warnings }: ClientCount): string =>
  errors + warnings === 0 ? "no objection" : `${errors} refused, ${warnings} may be refused`;

function Adapted({ changes, left, diffs, listed }: AdaptedList): ReactElement {
  return (
    <>
      {changes.items.length === 0 && <p className="text-soft">Nothing is changed.</p>}
      <FoldedList
        className="mb-3 flex flex-col gap-1 text-[0.8125rem]"
        items={changes.items.map(({ tool, path, message, isLeft }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: two changes may be alike
          <li key={index}>
            {isLeft && <Badge tone="warn">not changed</Badge>}{" "}
            <code className="font-mono">
              <ExternalText text={`${tool} ${path}`} />
            </code>{" "}
            <ExternalText text={message} />
          </li>
        ))}
      />
      <More count={changes.more} />
      {diffs.items.map(({ tool, diff }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two tools may have one name
        <details key={index} open={index === 0} className="mb-2">
          <summary className="font-mono text-[0.8125rem]">
            <ExternalText text={tool} />
          </summary>
          <Diff text={diff} label={`Changes of ${tool}`} />
        </details>
      ))}
      <More count={diffs.more} />
      <h3 className="mt-3 mb-1 font-medium">Refused after that</h3>
      <FoundList label="Refused after adapt" found={left} none={noneText(listed)} />
    </>
  );
}

/** Shows what clients refuse in tools, and what `adapt` changes for one client. */
export function ClientsView({ checker, state, change, toolsField }: ViewProps): ReactElement {
  const { tools, client } = state;
  const question = useMemo(() => ({ tools, client }), [tools, client]);
  const answer = useAnswer(checker, "clients", question);
  const clients = answer.reply?.ok === true ? answer.reply.clients : [];
  const title = clients.find((each) => each.client === client)?.title ?? client;
  return (
    <div className="grid gap-6 lg:grid-cols-2">
      <div className="flex min-w-0 flex-col gap-4">
        {toolsField}
        {clients.length > 0 && (
          <Choice
            label="Client"
            value={client}
            choices={clients.map((each) => ({
              value: each.client,
              label: `${each.title}: ${countText(each)}`,
            }))}
            onChange={(value) => {
              const found = clients.find((each) => each.client === value);
              if (found !== undefined) change({ client: found.client });
            }}
          />
        )}
      </div>
      <AnswerFrame answer={answer}>
        {({ names, lint, refused, adapted, notes }) => (
          <>
            <Notes notes={notes} />
            <Card title={`What ${title} refuses`} hint="lint, by the rules of its model providers">
              <FoundList label="Refused" found={refused} none={noneText(names.length)} />
            </Card>
            <Card
              title={`What the gateway changes for ${title}`}
              hint="adapt, with all of its steps and strict input validation"
            >
              <Adapted {...adapted} />
            </Card>
            <Card title="Issues of the tools" hint="check, for every client">
              <FoundList label="Faults" found={lint} none={noneText(names.length)} />
            </Card>
          </>
        )}
      </AnswerFrame>
    </div>
  );
}

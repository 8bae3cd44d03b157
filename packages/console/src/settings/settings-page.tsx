import { type ReactElement, useCallback, useId, useState } from "react";
import type { GatewayApi } from "../api/gateway.ts";
import { type EditAction, EditDialog } from "../page/edit-dialog.tsx";
import { Failure } from "../page/failure.tsx";
import { PageHeader, ReloadButton } from "../page/header.tsx";
import { Loading } from "../page/loading.tsx";
import { useLoaded } from "../page/use-loaded.ts";
import { CallersCard } from "../servers/callers-card.tsx";
import { ModeForm } from "../servers/mode-form.tsx";
import { policyOf } from "../servers/policy.ts";
import { PolicyCard } from "../servers/policy-card.tsx";
import { Button } from "../ui/button.tsx";
import { Card } from "../ui/card.tsx";
import { cx } from "../ui/classes.ts";
import { Input, Toggle } from "../ui/field.tsx";
import { Shown } from "../ui/shown.tsx";
import {
  CHECKED,
  type Choice,
  choicesIn,
  modesOf,
  RECORDED,
  type Section,
  sectionsOf,
  written,
} from "./settings.ts";

const FIXED = "The configuration cannot be edited from here.";
const NEEDS: Readonly<Record<string, string>> = {
  admin:
    "A change needs a key with the role admin as token. On the gateway's machine, touchstone ui signs you in.",
  token:
    "A change needs a token. Run touchstone ui, which signs you in, or enter the token of the file operator-token in the data directory.",
};

/** Edits a numeric setting. */
function NumberChoice({
  choice: { label, unit, value, help, setting },
  edits,
  isEditable,
  onSet,
}: {
  readonly choice: Choice;
  readonly edits: number;
  readonly isEditable: boolean;
  readonly onSet: (value: number) => void;
}): ReactElement {
  // What was typed is of the value that it was to replace, until something is written.
  const now = `${value} ${edits}`;
  const [typed, setTyped] = useState<{ readonly text: string; readonly over: string }>();
  const id = useId();
  const shown = typed?.over === now ? typed.text : String(value);
  const isWhole = /^[1-9]\d{0,11}$/.test(shown);
  return (
    <form
      aria-label={label}
      className="flex min-w-0 flex-1 basis-64 flex-wrap items-center gap-x-2 gap-y-1"
      onSubmit={(event) => {
        event.preventDefault();
        if (isWhole && Number(shown) !== value) onSet(Number(shown));
      }}
    >
      <label htmlFor={id} className="font-medium">
        {label}
      </label>
      <Input
        id={id}
        className="w-28!"
        inputMode="numeric"
        value={shown}
        aria-invalid={!isWhole}
        aria-describedby={`${id}-help`}
        disabled={!isEditable}
        onChange={(event) => setTyped({ text: event.target.value.trim(), over: now })}
      />
      <span>{unit}</span>
      <Button
        type="submit"
        size="sm"
        disabled={!isEditable || !isWhole || Number(shown) === value}
        aria-label={`Change ${setting}`}
      >
        Change
      </Button>
      <p id={`${id}-help`} className="basis-full text-[0.8125rem] text-soft">
        {isWhole ? help : "Enter a whole number, 1 or more."}
      </p>
    </form>
  );
}

/** What a requested edit does, and its heading. */
interface Asked {
  readonly title: string;
  readonly action: EditAction;
}

/** Shows the settings that people change here. Each change is shown as a diff of the file first. */
function Choices({
  choices,
  edits,
  isEditable,
  onAsk,
}: {
  readonly choices: readonly Choice[];
  /** How many changes the page has written. */
  readonly edits: number;
  readonly isEditable: boolean;
  readonly onAsk: (asked: Asked) => void;
}): ReactElement {
  const set = (choice: Choice, value: boolean | number, title: string): void =>
    onAsk({
      title,
      action: { kind: "settings", set: { [choice.setting]: written(choice, value) } },
    });
  return (
    <ul className="divide-y divide-line">
      {choices.map((choice) => {
        const { setting, label, help, unit, value } = choice;
        return (
          <li
            key={setting}
            className="flex flex-wrap items-start justify-between gap-x-4 gap-y-1 py-2.5"
          >
            {typeof value === "number" ? (
              <NumberChoice
                choice={choice}
                edits={edits}
                isEditable={isEditable}
                onSet={(next) => set(choice, next, `${label} ${next.toLocaleString("en")} ${unit}`)}
              />
            ) : (
              <div className="min-w-0 flex-1 basis-64">
                <Toggle
                  checked={value}
                  disabled={!isEditable}
                  onChange={(on) => set(choice, on, `${label}: ${on ? "on" : "off"}`)}
                >
                  <span className="font-medium">{label}</span>
                </Toggle>
                <p className="ps-10 text-[0.8125rem] text-soft">{help}</p>
              </div>
            )}
            <code
              className={cx(
                "font-mono text-xs text-soft",
                typeof value === "boolean" && "max-sm:ps-10",
              )}
            >
              {setting}
            </code>
          </li>
        );
      })}
    </ul>
  );
}

function Facts({ section: { title, lines } }: { readonly section: Section }): ReactElement {
  return (
    <Card title={title}>
      <dl className="grid gap-x-8 md:grid-cols-2">
        {lines.map(([name, value, help]) => (
          <div
            key={name}
            className="grid grid-cols-[minmax(0,11rem)_minmax(0,1fr)] gap-3 border-t border-line py-1.5"
          >
            <dt className="text-soft" title={help}>
              <Shown text={name} />
            </dt>
            <dd>
              <Shown text={value} />
              {help !== undefined && <p className="text-xs text-faint">{help}</p>}
            </dd>
          </div>
        ))}
      </dl>
    </Card>
  );
}

/** Shows the settings of the whole gateway: those that people change first, then everything else, read-only. */
export default function SettingsPage({ api }: { readonly api: GatewayApi }): ReactElement {
  const ask = useCallback((signal: AbortSignal) => api.get("getSettings", {}, signal), [api]);
  const [{ value: settings, error, isLoading }, reload] = useLoaded(ask);
  const [asked, setAsked] = useState<Asked>();
  const [edits, setEdits] = useState(0);
  const isEditable = settings?.configuration.editable === true;
  const policy = settings && policyOf(settings);
  return (
    <section aria-label="Settings">
      <PageHeader title="Settings" actions={<ReloadButton onClick={reload} />} />
      {error !== undefined && <Failure error={error} onRetry={reload} />}
      {settings === undefined && isLoading && <Loading what="settings" />}
      {settings !== undefined && (
        <div className="flex flex-col gap-4">
          <Card
            title="What is recorded and allowed"
            hint={
              isEditable ? (
                NEEDS[settings.writes]
              ) : (
                <Shown text={settings.configuration.reason ?? FIXED} />
              )
            }
          >
            <Choices
              choices={choicesIn(settings, RECORDED)}
              edits={edits}
              isEditable={isEditable}
              onAsk={setAsked}
            />
          </Card>
          <Card
            title="Modes"
            hint="What happens to messages that are not valid, unless a server or a tool has its own mode."
          >
            {isEditable ? (
              <ModeForm
                api={api}
                of={{}}
                what="the gateway"
                modes={modesOf(settings)}
                own={settings.own}
                above="by default"
                onChanged={reload}
              />
            ) : (
              <p className="text-soft">
                {Object.entries(modesOf(settings))
                  .map(([direction, mode]) => `${direction} ${mode}`)
                  .join(", ")}
              </p>
            )}
          </Card>
          <Card
            title="What is checked"
            hint="For all servers and tools that have no limits of their own in the file."
          >
            <Choices
              choices={choicesIn(settings, CHECKED)}
              edits={edits}
              isEditable={isEditable}
              onAsk={setAsked}
            />
          </Card>
          {policy !== undefined && (
            <PolicyCard api={api} policy={policy} isEditable={isEditable} onChanged={reload} />
          )}
          {settings.auth.callers.length > 0 && <CallersCard callers={settings.auth.callers} />}
          {sectionsOf(settings).map((section) => (
            <Facts key={section.title} section={section} />
          ))}
        </div>
      )}
      {asked !== undefined && (
        <EditDialog
          api={api}
          title={asked.title}
          action={asked.action}
          onClose={() => setAsked(undefined)}
          onWritten={() => {
            setEdits(edits + 1);
            reload();
          }}
        />
      )}
    </section>
  );
}

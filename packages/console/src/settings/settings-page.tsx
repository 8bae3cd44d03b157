import { BellRing } from "lucide-react";
import { type ReactElement, Suspense, useCallback, useId, useState } from "react";
import { usePermission } from "../access/rights.ts";
import type { GatewayApi } from "../api/gateway.ts";
import { type EditAction, EditDialog } from "../page/edit-dialog.tsx";
import { Failure } from "../page/failure.tsx";
import { PageHeader, ReloadButton } from "../page/header.tsx";
import { lazyPart } from "../page/lazy-part.tsx";
import { Loading } from "../page/loading.tsx";
import type { PageProps } from "../page/page-props.ts";
import { useLoaded } from "../page/use-loaded.ts";
import { CallersCard } from "../servers/callers-card.tsx";
import { ModeForm } from "../servers/mode-form.tsx";
import { policyOf } from "../servers/policy.ts";
import { PolicyCard } from "../servers/policy-card.tsx";
import { PresetSelect } from "../servers/preset-select.tsx";
import { BROWSERS_ITEM } from "../sign-in/browsers-hash.ts";
import { Button, ButtonLink } from "../ui/button.tsx";
import { Card } from "../ui/card.tsx";
import { cx } from "../ui/classes.ts";
import { ExternalText } from "../ui/external-text.tsx";
import { Input, Toggle } from "../ui/field.tsx";
import { Select } from "../ui/select.tsx";
import { ALERTS, ALERTS_HASH } from "./alerts-hash.ts";
import {
  CHECK_SETTINGS,
  type CurrentSetting,
  currentSettings,
  modesOf,
  RECORD_SETTINGS,
  type Section,
  sectionsOf,
  writtenSetting,
} from "./settings.ts";

const FIXED = "The configuration cannot be edited from here.";

const Browsers = lazyPart(() => import("../sign-in/browsers.tsx"));
const Alerts = lazyPart(() => import("./alerts.tsx"));

/** Edits a numeric setting. */
function NumberChoice({
  choice: { label, unit, value, help, setting },
  edits,
  isEditable,
  onSet,
}: {
  readonly choice: CurrentSetting;
  readonly edits: number;
  readonly isEditable: boolean;
  readonly onSet: (value: number) => void;
}): ReactElement {
  // What was typed was meant to replace the old value, so it is dropped when something is written.
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
        {isWhole ? help : "Enter a whole number of at least 1."}
      </p>
    </form>
  );
}

/** Edits a setting with several values. */
function SelectChoice({
  choice: { label, help, value, choices = new Map() },
  isEditable,
  onSet,
}: {
  readonly choice: CurrentSetting;
  readonly isEditable: boolean;
  readonly onSet: (value: string | boolean, label: string) => void;
}): ReactElement {
  const all = [...choices].map(([each, text]) => ({ value: String(each), label: text }));
  return (
    <div className="flex min-w-0 flex-1 basis-64 flex-wrap items-center gap-x-2 gap-y-1">
      <span className="font-medium">{label}</span>
      <Select
        label={label}
        value={String(value)}
        choices={all}
        disabled={!isEditable}
        onChange={(chosen) => {
          const next = [...choices].find(([each]) => String(each) === chosen);
          if (next !== undefined && next[0] !== value) onSet(...next);
        }}
      />
      <p className="basis-full text-[0.8125rem] text-soft">{help}</p>
    </div>
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
  readonly choices: readonly CurrentSetting[];
  /** How many changes the page has written. */
  readonly edits: number;
  readonly isEditable: boolean;
  readonly onAsk: (asked: Asked) => void;
}): ReactElement {
  const set = (choice: CurrentSetting, value: CurrentSetting["value"], title: string): void =>
    onAsk({
      title,
      action: { kind: "settings", set: { [choice.setting]: writtenSetting(choice, value) } },
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
            ) : choice.choices !== undefined ? (
              <SelectChoice
                choice={choice}
                isEditable={isEditable}
                onSet={(next, chosen) => set(choice, next, `${label}: ${chosen}`)}
              />
            ) : (
              <div className="min-w-0 flex-1 basis-64">
                <Toggle
                  checked={value === true}
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
                typeof value === "boolean" && choice.choices === undefined && "max-sm:ps-10",
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
      <dl className="grid grid-cols-1 gap-x-8 md:grid-cols-2">
        {lines.map(([name, value, help]) => (
          <div
            key={name}
            className="grid grid-cols-[minmax(0,11rem)_minmax(0,1fr)] gap-3 border-t border-line py-1.5"
          >
            <dt className="text-soft" title={help}>
              <ExternalText text={name} />
            </dt>
            <dd>
              <ExternalText text={value} />
              {help !== undefined && <p className="text-xs text-faint">{help}</p>}
            </dd>
          </div>
        ))}
      </dl>
    </Card>
  );
}

/** Shows the settings of the whole gateway: those that people change first, then everything else, read-only. */
export default function SettingsPage({ api, open }: PageProps): ReactElement {
  if (open === BROWSERS_ITEM) {
    return (
      <Suspense fallback={<Loading what="sessions" />}>
        <Browsers api={api} />
      </Suspense>
    );
  }
  if (open === ALERTS) {
    return (
      <Suspense fallback={<Loading what="alerts" />}>
        <Alerts api={api} />
      </Suspense>
    );
  }
  return <Settings api={api} />;
}

function Settings({ api }: { readonly api: GatewayApi }): ReactElement {
  const load = useCallback((signal: AbortSignal) => api.get("getSettings", {}, signal), [api]);
  const [{ value: settings, error, isLoading }, reload] = useLoaded(load);
  const [asked, setAsked] = useState<Asked>();
  const [edits, setEdits] = useState(0);
  const may = usePermission("editConfig");
  const isFile = settings?.configuration.editable === true;
  const isEditable = isFile && may.isOffered;
  const ask = (asked: Asked): void => may.run(() => setAsked(asked));
  const policy = settings && policyOf(settings);
  return (
    <section aria-label="Settings">
      <PageHeader
        title="Settings"
        actions={
          <>
            <ButtonLink href={ALERTS_HASH}>
              <BellRing aria-hidden="true" />
              Alerts
            </ButtonLink>
            <ReloadButton onClick={reload} />
          </>
        }
      />
      {error !== undefined && <Failure error={error} onRetry={reload} />}
      {settings === undefined && isLoading && <Loading what="settings" />}
      {settings !== undefined && (
        <div className="flex flex-col gap-4">
          <Card
            title="What is recorded and allowed"
            hint={
              isFile ? may.reason : <ExternalText text={settings.configuration.reason ?? FIXED} />
            }
          >
            <Choices
              choices={currentSettings(settings, RECORD_SETTINGS)}
              edits={edits}
              isEditable={isEditable}
              onAsk={ask}
            />
          </Card>
          <Card
            title="Modes"
            hint="What happens to messages that are not valid, unless a server or a tool has its own mode."
          >
            {isFile ? (
              <>
                <PresetSelect api={api} preset={settings.preset} onChanged={reload} />
                <ModeForm
                  api={api}
                  of={{}}
                  what="the gateway"
                  modes={modesOf(settings)}
                  own={settings.own}
                  above={settings.preset ? `preset ${settings.preset}` : "by default"}
                  onChanged={reload}
                />
              </>
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
              choices={currentSettings(settings, CHECK_SETTINGS)}
              edits={edits}
              isEditable={isEditable}
              onAsk={ask}
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

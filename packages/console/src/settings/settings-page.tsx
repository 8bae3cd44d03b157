import { type ReactElement, useCallback } from "react";
import { type GatewayApi, unexpectedAnswer } from "../api/gateway.ts";
import { Failure } from "../page/failure.tsx";
import { PageHeader } from "../page/header.tsx";
import { Loading } from "../page/loading.tsx";
import { useLoaded } from "../page/use-loaded.ts";
import { ModeForm } from "../servers/mode-form.tsx";
import { Button } from "../ui/button.tsx";
import { Card } from "../ui/card.tsx";
import { Shown } from "../ui/shown.tsx";
import { readSettings, type Section } from "./settings.ts";

const FIXED = "The configuration cannot be edited from here.";
const NEEDS: Readonly<Record<string, string>> = {
  api_key: "A change needs the gateway's API key as token.",
  token: "A change needs the token that touchstone serve printed when it started.",
};

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

/** What holds for the whole gateway: what people change first, and everything else to read. */
export default function SettingsPage({ api }: { readonly api: GatewayApi }): ReactElement {
  const ask = useCallback(
    async (signal: AbortSignal) => {
      const settings = readSettings(await api.get("settings", signal));
      if (settings === undefined) throw unexpectedAnswer();
      return settings;
    },
    [api],
  );
  const [{ value: settings, error, isLoading }, reload] = useLoaded(ask);
  return (
    <section aria-label="Settings">
      <PageHeader title="Settings" actions={<Button onClick={reload}>Reload</Button>} />
      {error !== undefined && <Failure error={error} onRetry={reload} />}
      {settings === undefined && isLoading && <Loading what="settings" />}
      {settings !== undefined && (
        <div className="flex flex-col gap-4">
          <Card
            title="Modes"
            hint={
              settings.isEditable ? (
                NEEDS[settings.writes ?? ""]
              ) : (
                <Shown text={settings.reason ?? FIXED} />
              )
            }
          >
            {settings.isEditable ? (
              <ModeForm
                api={api}
                path="modes"
                what="the gateway"
                modes={settings.modes}
                own={settings.own}
                above="by default"
                onChanged={reload}
              />
            ) : (
              <p className="text-soft">
                {Object.entries(settings.modes)
                  .map(([direction, mode]) => `${direction} ${mode}`)
                  .join(", ")}
              </p>
            )}
          </Card>
          {settings.sections.map((section) => (
            <Facts key={section.title} section={section} />
          ))}
        </div>
      )}
    </section>
  );
}

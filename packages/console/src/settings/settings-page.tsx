import { type ReactElement, useCallback } from "react";
import { type GatewayApi, unexpectedAnswer } from "../api/gateway.ts";
import { Failure } from "../page/failure.tsx";
import { Shown } from "../page/shown.tsx";
import { useLoaded } from "../page/use-loaded.ts";
import { ModeForm } from "../servers/mode-form.tsx";
import { readSettings } from "./settings.ts";
import "../style/gateway.css";

const FIXED = "The configuration cannot be edited from here.";
const NEEDS: Readonly<Record<string, string>> = {
  api_key: "A change needs the gateway's API key as token, at the top of the page.",
  token:
    "A change needs the token that touchstone serve printed when it started; enter it at the top of the page.",
};

/** What holds for the whole gateway, and its modes to switch. */
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
      <div className="buttons">
        <button type="button" onClick={reload}>
          Reload
        </button>
        {isLoading && <span role="status">Asking for the settings …</span>}
      </div>
      {error !== undefined && <Failure error={error} onRetry={reload} />}
      {settings !== undefined && (
        <>
          <section className="part" aria-label="Modes">
            <h2>Modes of the whole gateway</h2>
            {settings.isEditable ? (
              <>
                <p className="hint">{NEEDS[settings.writes ?? ""]}</p>
                <ModeForm
                  api={api}
                  path="modes"
                  what="the gateway"
                  modes={settings.modes}
                  own={settings.own}
                  above="by default"
                  onChanged={reload}
                />
              </>
            ) : (
              <p className="hint">
                <Shown text={settings.reason ?? FIXED} />
              </p>
            )}
          </section>
          {settings.sections.map(({ title, lines }) => (
            <section className="part" key={title} aria-label={title}>
              <h2>
                <Shown text={title} />
              </h2>
              <dl className="facts">
                {lines.map(([name, value]) => (
                  <div key={name}>
                    <dt>
                      <Shown text={name} />
                    </dt>
                    <dd>
                      <Shown text={value} />
                    </dd>
                  </div>
                ))}
              </dl>
            </section>
          ))}
        </>
      )}
    </section>
  );
}

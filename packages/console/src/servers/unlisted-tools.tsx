import type { ServerDetail } from "@touchstone/gateway/api";
import type { ReactElement } from "react";
import type { GatewayApi } from "../api/gateway.ts";
import { Notice } from "../page/notice.tsx";
import { ExternalText } from "../ui/external-text.tsx";
import { ModeForm } from "./mode-form.tsx";

interface Props {
  readonly api: GatewayApi;
  readonly server: ServerDetail;
  readonly isEditable: boolean;
  readonly onChanged: () => void;
}

/** Maximum number of tools shown. */
const MAX_TOOLS = 50;

/** Shows settings for tools that the server has not listed: their names may be mistyped. */
export function UnlistedTools({ api, server, isEditable, onChanged }: Props): ReactElement | null {
  const { name, unlisted } = server;
  if (unlisted.length === 0) return null;
  return (
    <section className="mt-6" aria-label="Settings for tools that are not listed">
      <h3 className="mb-2 text-[0.9375rem] font-semibold">
        Settings for tools that are not listed
      </h3>
      {unlisted.slice(0, MAX_TOOLS).map(({ tool, closest, modes, own }) => (
        <div key={tool}>
          <Notice kind="warning">
            The configuration has settings for{" "}
            <code>
              <ExternalText text={tool} />
            </code>
            , which the server has not listed.{" "}
            {closest !== undefined && (
              <>
                Did you mean{" "}
                <code>
                  <ExternalText text={closest} />
                </code>
                ?
              </>
            )}
          </Notice>
          {isEditable && (
            <ModeForm
              api={api}
              of={{ server: name, tool }}
              what={`tool ${tool}`}
              modes={modes}
              own={own}
              above="as the server"
              onChanged={onChanged}
            />
          )}
        </div>
      ))}
      {unlisted.length > MAX_TOOLS && (
        <p className="text-[0.8125rem] text-soft">and {unlisted.length - MAX_TOOLS} more</p>
      )}
    </section>
  );
}

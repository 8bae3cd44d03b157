import { limitTexts, type ShownCaller } from "@touchstone/gateway/api";
import type { ReactElement } from "react";
import { hashOf } from "../page/route.ts";
import { Badge } from "../ui/badge.tsx";
import { LINK_CLASS } from "../ui/button.tsx";
import { Card } from "../ui/card.tsx";
import { ExternalText } from "../ui/external-text.tsx";

/** Maximum number of callers that are shown. */
const MAX_CALLERS = 200;

/** Lists the callers that have separate keys, and what these keys allow. Keys themselves are never shown. */
export function CallersCard({
  callers,
}: {
  readonly callers: readonly ShownCaller[];
}): ReactElement {
  return (
    <Card
      title="Callers"
      hint="Which callers have a key of their own, and what it allows. Keys are changed in the file."
      flush
    >
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: without focus its end cannot be scrolled to with a keyboard */}
      <section className="overflow-x-auto" aria-label="Callers and what they may do" tabIndex={0}>
        <table className="w-full text-start wrap-normal [&_:is(th,td)]:px-4 [&_:is(th,td)]:py-2 [&_:is(th,td)]:text-start [&_:is(th,td)]:align-top [&_tbody_tr]:border-t [&_tbody_tr]:border-line [&_thead]:text-[0.8125rem] [&_thead]:text-soft">
          <thead>
            <tr>
              <th scope="col">Caller</th>
              <th scope="col">Role</th>
              <th scope="col">Keys</th>
              <th scope="col">Servers</th>
              <th scope="col">Tools</th>
              <th scope="col">Limits</th>
            </tr>
          </thead>
          <tbody>
            {callers
              .slice(0, MAX_CALLERS)
              .map(({ name, role, keys, servers, tools, readOnly, ...limits }) => (
                <tr key={name}>
                  <th scope="row" className="font-medium">
                    <a className={LINK_CLASS} href={hashOf("activity", "", { caller: name })}>
                      <ExternalText text={name} />
                    </a>
                  </th>
                  <td>
                    <Badge>
                      <ExternalText text={role} />
                    </Badge>
                  </td>
                  <td className="tabular-nums">{keys}</td>
                  <td>
                    <ExternalText
                      text={servers === undefined ? "all" : servers.join(", ") || "none"}
                    />
                  </td>
                  <td>
                    <ExternalText text={tools === undefined ? "all" : tools.join(", ") || "none"} />
                    {readOnly === true && ", read-only ones"}
                  </td>
                  <td className="tabular-nums">{limitTexts(limits).join(", ") || "none"}</td>
                </tr>
              ))}
          </tbody>
        </table>
        {callers.length > MAX_CALLERS && (
          <p className="px-4 py-2 text-soft">and {callers.length - MAX_CALLERS} more</p>
        )}
      </section>
    </Card>
  );
}

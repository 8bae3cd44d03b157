import type { ServerDetail } from "@touchstone/gateway/api";
import { Fragment, type ReactElement, useState } from "react";
import type { GatewayApi } from "../api/gateway.ts";
import { clientPreviewHash } from "../page/client-preview.ts";
import { Notice } from "../page/notice.tsx";
import { serverToolHash } from "../page/route.ts";
import { TimeText } from "../page/time-text.tsx";
import { visible } from "../text/visible.ts";
import { Badge } from "../ui/badge.tsx";
import { Button, LINK_CLASS } from "../ui/button.tsx";
import { cx } from "../ui/classes.ts";
import { ExternalText } from "../ui/external-text.tsx";
import { ModeForm } from "./mode-form.tsx";
import { DIRECTIONS } from "./modes.ts";
import { type MergedContract, mergeRevisions } from "./server.ts";

interface Props {
  readonly api: GatewayApi;
  readonly server: ServerDetail;
  readonly isEditable: boolean;
  readonly onChanged: () => void;
}

/** On a phone, a row is a block of lines with their own labels, so that the last column is visible, too. */
const STACKED =
  "max-sm:[&_:is(table,tbody)]:block max-sm:[&_thead]:sr-only max-sm:[&_tbody_tr]:grid " +
  "max-sm:[&_tbody_tr]:grid-cols-2 max-sm:[&_tbody_tr]:py-2 max-sm:[&_tbody_:is(th,td:not([data-half]))]:col-span-2 " +
  "max-sm:[&_tbody_:is(th,td)]:min-w-0 max-sm:[&_tbody_:is(th,td)]:max-w-none max-sm:[&_tbody_:is(th,td)]:py-0.5 " +
  "max-sm:[&_td[data-label]]:before:text-soft max-sm:[&_td[data-label]]:before:content-[attr(data-label)_'_']";
const TABLE =
  "relative overflow-x-auto rounded-lg border border-line bg-surface [&_:is(th,td)]:px-3 " +
  "[&_:is(th,td)]:py-2 [&_:is(th,td)]:text-start [&_:is(th,td)]:align-top [&_tbody_tr]:border-t [&_tbody_tr]:border-line [&_thead]:text-[0.8125rem] [&_thead]:text-soft [&_th]:font-medium";
/** Maximum number of rows shown. */
const MAX_ROWS = 500;
/** Number of hash digits shown to tell schemas apart. */
const DIGITS = 8;

function Hash({ hash }: { readonly hash: string | null }): ReactElement {
  if (hash === null) return <small className="text-soft">none</small>;
  return (
    <code className="font-mono text-[0.8125rem]" title={hash}>
      <ExternalText text={hash.replace(/^sha256:/, "").slice(0, DIGITS)} />
    </code>
  );
}

function modesText({ modes, own }: MergedContract): string {
  return DIRECTIONS.map((direction) => {
    const mark = own[direction] === undefined ? "" : "*";
    return `${direction} ${modes[direction]}${mark}`;
  }).join(", ");
}

function Faults({ faults, repeated }: Pick<MergedContract, "faults" | "repeated">): ReactElement {
  return (
    <>
      {repeated && (
        <Notice kind="warning">
          The server lists this tool more than once; the last declaration counts. Give each tool a
          name of its own.
        </Notice>
      )}
      {faults.map(({ direction, code, message, hint }) => (
        <Notice kind="warning" key={`${direction} ${code} ${message}`}>
          <p>
            The {direction} schema cannot be used: <ExternalText text={message} />.{" "}
            <ExternalText text={hint} />
          </p>
        </Notice>
      ))}
    </>
  );
}

/** Shows what a server's tools declare, what is wrong with it, and each tool's modes. */
export function Contracts({ api, server, isEditable, onChanged }: Props): ReactElement {
  const [open, setOpen] = useState<string>();
  const { name } = server;
  const contracts = mergeRevisions(server.contracts);
  if (contracts.length === 0) {
    return (
      <p className="text-[0.8125rem] text-soft">
        No list of tools was seen yet; “Load tools” loads it.
      </p>
    );
  }
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: without focus its end cannot be scrolled to with a keyboard
    <section className={cx(TABLE, STACKED)} aria-label="Tool definitions" tabIndex={0}>
      <table className="w-full wrap-normal">
        <caption className="sr-only">Tool definitions</caption>
        <thead>
          <tr>
            <th scope="col">Tool</th>
            <th scope="col">Revisions</th>
            <th scope="col">Input</th>
            <th scope="col">Output</th>
            <th scope="col">Modes</th>
            <th scope="col">Learned</th>
          </tr>
        </thead>
        <tbody>
          {contracts.slice(0, MAX_ROWS).map((contract) => {
            const { tool, revisions, inputHash, outputHash, learnedAt } = contract;
            const { faults, repeated, refusedBy } = contract;
            // Within one revision, different callers may see different schemas of a tool. When a further revision
            // appears, an open row stays open.
            const key = JSON.stringify([tool, inputHash, outputHash, revisions[0]]);
            return (
              <Fragment key={key}>
                <tr>
                  <th scope="row" className="min-w-40 max-w-96 wrap-anywhere xl:min-w-60">
                    <a className={LINK_CLASS} href={api.address(serverToolHash(name, tool))}>
                      <code>
                        <ExternalText text={tool} />
                      </code>
                    </a>{" "}
                    {refusedBy !== null && (
                      <Badge tone="bad" title="Policy does not allow this tool">
                        <ExternalText text={refusedBy} />
                      </Badge>
                    )}
                    <a
                      className={`${LINK_CLASS} block w-fit text-[0.8125rem] font-normal`}
                      href={clientPreviewHash(name, { tool })}
                      aria-label={visible(`As a client sees it: ${tool}`)}
                    >
                      As a client sees it
                    </a>
                  </th>
                  <td data-label="Revisions" className="min-w-32">
                    {revisions.length === 0 && "–"}
                    {revisions.map((revision, index) => (
                      <Fragment key={revision}>
                        {index > 0 && ", "}
                        <span className="whitespace-nowrap">
                          <ExternalText text={revision} />
                        </span>
                      </Fragment>
                    ))}
                  </td>
                  <td data-label="Input" data-half="">
                    <Hash hash={inputHash} />
                  </td>
                  <td data-label="Output" data-half="">
                    <Hash hash={outputHash} />
                  </td>
                  <td data-label="Modes" className="min-w-32">
                    {modesText(contract)}{" "}
                    {isEditable && (
                      <Button
                        size="sm"
                        aria-expanded={open === key}
                        onClick={() => setOpen(open === key ? undefined : key)}
                      >
                        Switch
                        <span className="sr-only">
                          {" "}
                          modes of <ExternalText text={tool} />
                        </span>
                      </Button>
                    )}
                  </td>
                  <td
                    data-label="Learned"
                    className="min-w-26 max-xl:[&_time]:whitespace-normal xl:min-w-0"
                  >
                    <TimeText time={learnedAt} />
                  </td>
                </tr>
                {(faults.length > 0 || repeated) && (
                  <tr>
                    <td colSpan={6} className="wrap-anywhere">
                      <Faults faults={faults} repeated={repeated} />
                    </td>
                  </tr>
                )}
                {open === key && (
                  <tr>
                    <td colSpan={6} className="wrap-anywhere">
                      <ModeForm
                        api={api}
                        of={{ server: name, tool }}
                        what={`tool ${tool}`}
                        modes={contract.modes}
                        own={contract.own}
                        above="as the server"
                        onChanged={onChanged}
                      />
                    </td>
                  </tr>
                )}
              </Fragment>
            );
          })}
        </tbody>
      </table>
      {contracts.length > MAX_ROWS && (
        <p className="px-3 py-2 text-[0.8125rem] text-soft">
          and {contracts.length - MAX_ROWS} more
        </p>
      )}
      <p className="px-3 pb-2 text-[0.8125rem] text-soft">* is set for this tool itself.</p>
    </section>
  );
}

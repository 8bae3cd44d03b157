import { type ReactElement, useCallback, useId, useLayoutEffect, useRef } from "react";
import { type GatewayApi, queryOf, segment, unexpectedAnswer } from "../api/gateway.ts";
import { Failure } from "../page/failure.tsx";
import { hashOf } from "../page/route.ts";
import { Shown } from "../page/shown.tsx";
import { useLoaded } from "../page/use-loaded.ts";
import { When } from "../page/when.tsx";
import { typeWord } from "./columns.tsx";
import { Issues } from "./issues.tsx";
import { type ActivityRecord, readPart, readRecord } from "./record.ts";
import { RecordFields } from "./record-fields.tsx";

interface Props {
  readonly api: GatewayApi;
  readonly id: string;
  /** The record, where the list has it. */
  readonly known: ActivityRecord | undefined;
  /** The filters, that stay when another record is opened. */
  readonly query: string;
  readonly onClose: () => void;
}

interface Linked {
  readonly record: ActivityRecord;
  /** All records of the same request, oldest first. */
  readonly request: readonly ActivityRecord[];
}

async function load(api: GatewayApi, id: string, signal: AbortSignal): Promise<Linked> {
  const record = readRecord(await api.get(`activity/${segment(id)}`, signal));
  if (record === undefined) throw unexpectedAnswer();
  if (record.request_id === null) return { record, request: [record] };
  const query = queryOf({ request: record.request_id, limit: "20" });
  const part = readPart(await api.get(`activity${query}`, signal));
  return { record, request: part?.records.toReversed() ?? [record] };
}

function titleOf({ type, server, tool }: ActivityRecord): string {
  const names = [server, tool].filter((name) => name !== null).join(" / ");
  return names === "" ? typeWord(type) : `${typeWord(type)}: ${names}`;
}

function Request({
  linked,
  query,
}: {
  readonly linked: Linked;
  readonly query: string;
}): ReactElement | null {
  const { record, request } = linked;
  if (request.length < 2) return null;
  return (
    <section aria-label="Records of the same request">
      <h3>The same request</h3>
      <ul>
        {request.map(({ id, type, direction, status, time }) => (
          <li key={id}>
            {id === record.id ? (
              <span aria-current="true">
                <When time={time} /> {typeWord(type)} (this record)
              </span>
            ) : (
              <a href={hashOf("activity", id, query)}>
                <When time={time} /> {typeWord(type)}
              </a>
            )}{" "}
            <Shown text={[direction, status].filter((text) => text !== null).join(", ")} />
          </li>
        ))}
      </ul>
    </section>
  );
}

/** One record beside the list: every issue with its place in the schema and in the payload. */
export default function RecordDrawer({ api, id, known, query, onClose }: Props): ReactElement {
  const dialog = useRef<HTMLDialogElement>(null);
  const title = useId();
  const ask = useCallback((signal: AbortSignal) => load(api, id, signal), [api, id]);
  const [{ value, error }, reload] = useLoaded(ask);
  // Before it is taken out of the page: closing gives the focus back to where it was.
  useLayoutEffect(() => {
    const { current } = dialog;
    current?.showModal();
    return () => current?.close();
  }, []);
  const record = value?.record ?? known;
  return (
    <dialog
      ref={dialog}
      className="drawer"
      aria-labelledby={title}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
    >
      <header>
        <h2 id={title}>{record === undefined ? "Record" : <Shown text={titleOf(record)} />}</h2>
        <button type="button" onClick={onClose}>
          Close
        </button>
      </header>
      {error !== undefined && <Failure error={error} onRetry={reload} />}
      {record === undefined && error === undefined && <p role="status">Asking for the record …</p>}
      {record !== undefined && (
        <>
          {record.reason !== null && (
            <p className="reason">
              <Shown text={record.reason} />
            </p>
          )}
          {value !== undefined && (
            <Issues api={api} record={value.record} request={value.request} />
          )}
          {value !== undefined && <Request linked={value} query={query} />}
          <RecordFields api={api} record={record} />
        </>
      )}
    </dialog>
  );
}

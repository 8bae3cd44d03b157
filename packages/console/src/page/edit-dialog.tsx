import { type QueryClient, useQueryClient } from "@tanstack/react-query";
import { type ReactElement, type ReactNode, useCallback, useState } from "react";
import { ApiError } from "../api/client.ts";
import { type GatewayApi, messageOf, textOf, unexpectedAnswer } from "../api/gateway.ts";
import { isObject } from "../json/object.ts";
import { Button } from "../ui/button.tsx";
import { Code } from "../ui/code.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Diff } from "../ui/diff.tsx";
import { Shown } from "../ui/shown.tsx";
import { say } from "../ui/toast.tsx";
import { reloadAll } from "./asked-anew.ts";
import { TokenField } from "./auth-bar.tsx";
import { Failure } from "./failure.tsx";
import { REASON_TO_UNDO, ReasonField, reasonIn } from "./reason-field.tsx";
import { useLoaded } from "./use-loaded.ts";

/** A configuration change, as accepted by `POST /api/v1/config/proposals`. */
export type EditAction = Readonly<Record<string, unknown>> & { readonly kind: string };

/** What a change would write. */
interface Proposal {
  readonly file: string | null;
  readonly hash: string | null;
  readonly diff: string;
  readonly isWritable: boolean;
  /** Why the file is not writable. */
  readonly reason: string | null;
  /** What to add by hand in that case. */
  readonly paste: string | null;
}

function readProposal(answer: unknown): Proposal {
  if (!isObject(answer)) throw unexpectedAnswer();
  const paste = answer["paste"];
  return {
    file: textOf(answer, "file") ?? textOf(paste, "file"),
    hash: textOf(answer, "hash"),
    diff: textOf(answer, "diff") ?? "",
    isWritable: answer["writable"] === true,
    reason: textOf(answer, "reason"),
    paste: textOf(paste, "text"),
  };
}

/** Undoes a change, whatever page is open by then. */
async function undo(
  api: GatewayApi,
  id: string,
  reason: string,
  queries: QueryClient,
): Promise<void> {
  try {
    await api.post(`config/edits/${encodeURIComponent(id)}/undo`, reasonIn(reason));
    say({ title: "Undone" });
    await reloadAll(queries);
  } catch (thrown) {
    say({ kind: "bad", title: "Could not undo", text: messageOf(thrown) });
  }
}

interface Props {
  readonly api: GatewayApi;
  readonly title: ReactNode;
  readonly action: EditAction;
  readonly onClose: () => void;
  /** Called after the change is written. */
  readonly onWritten?: () => void;
}

/** Shows what a change would write into the configuration, and writes it. The change can be undone. */
export function EditDialog({ api, title, action, onClose, onWritten }: Props): ReactElement {
  const ask = useCallback(
    async () => readProposal(await api.post("config/proposals", { action })),
    [api, action],
  );
  const [{ value, error }, reload] = useLoaded(ask);
  const queries = useQueryClient();
  const [failure, setFailure] = useState<{ readonly text: string; readonly status: number }>();
  const [isWriting, setIsWriting] = useState(false);
  const [reason, setReason] = useState("");
  const write = async ({ hash }: Proposal): Promise<void> => {
    setIsWriting(true);
    try {
      const edit = { action, hash, ...reasonIn(reason) };
      const id = textOf(await api.post("config/edits", edit), "id");
      say({
        title: "Saved",
        text: `Wrote ${value?.file ?? "the configuration"}.`,
        ...(id === null
          ? {}
          : {
              action: {
                label: "Undo",
                field: REASON_TO_UNDO,
                run: (why) => void undo(api, id, why, queries),
              },
            }),
      });
      onWritten?.();
      onClose();
    } catch (thrown) {
      const { status = 0 } = thrown instanceof ApiError ? thrown : {};
      setFailure({ text: messageOf(thrown), status });
      // The file has changed, so show the difference to the current version next.
      if (status === 409) reload();
    } finally {
      setIsWriting(false);
    }
  };
  const isUnchanged = value !== undefined && value.diff === "" && value.paste === null;
  return (
    <Dialog
      open
      onClose={onClose}
      title={title}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          {value?.isWritable === true && !isUnchanged && (
            <Button variant="primary" disabled={isWriting} onClick={() => void write(value)}>
              Save
            </Button>
          )}
        </>
      }
    >
      {/* As high as most of what comes, so that the buttons stay where they are. */}
      <div className="flex min-h-72 flex-col max-sm:min-h-96 gap-3 p-4">
        {value === undefined && error === undefined && <p role="status">Loading the change…</p>}
        {error !== undefined && <Failure error={error} onRetry={reload} />}
        {failure !== undefined && <Failure error={failure.text} />}
        {(failure?.status === 401 ||
          failure?.status === 403 ||
          (error !== undefined && value === undefined)) && <TokenField />}
        {isUnchanged && <p>The configuration already has this. Nothing needs to be written.</p>}
        {value?.isWritable === true && value.diff !== "" && (
          <>
            <p className="text-soft">
              This is written to{" "}
              <code className="font-mono">
                <Shown text={value.file ?? "the configuration"} />
              </code>
              . Comments stay, and it takes effect with the next message.
            </p>
            <Diff label="What changes" text={value.diff} />
            <ReasonField value={reason} onChange={setReason} />
          </>
        )}
        {value !== undefined && !value.isWritable && (
          <>
            <p className="text-soft">
              <Shown text={value.reason ?? "The gateway cannot write this file."} /> Add these lines
              to{" "}
              <code className="font-mono">
                <Shown text={value.file ?? "touchstone.json"} />
              </code>
              :
            </p>
            <Code label="Lines to add" text={value.paste ?? value.diff} copy="lines" />
          </>
        )}
      </div>
    </Dialog>
  );
}

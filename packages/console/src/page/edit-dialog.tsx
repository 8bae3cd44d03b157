import { type QueryClient, useQueryClient } from "@tanstack/react-query";
import type { ConfigAction } from "@touchstone/gateway/api";
import { type ReactElement, type ReactNode, useCallback, useState } from "react";
import { reloadAll } from "../access/reload.ts";
import { usePermission } from "../access/rights.ts";
import { ApiError } from "../api/client.ts";
import { type GatewayApi, messageOf } from "../api/gateway.ts";
import { Button } from "../ui/button.tsx";
import { Code } from "../ui/code.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Diff } from "../ui/diff.tsx";
import { ExternalText } from "../ui/external-text.tsx";
import { showToast } from "../ui/toast.ts";
import { Failure } from "./failure.tsx";
import { overriddenText } from "./overridden.ts";
import { REASON_TO_UNDO, ReasonField, reasonIn } from "./reason-field.tsx";
import { useLoaded } from "./use-loaded.ts";

/** A configuration change. */
export type EditAction = ConfigAction;

/** Undoes a change, even if a different page is open by then. */
async function undo(
  api: GatewayApi,
  id: string,
  reason: string,
  queries: QueryClient,
): Promise<void> {
  try {
    await api.send("undoEdit", { id }, reasonIn(reason));
    showToast({ title: "Undone" });
    await reloadAll(queries);
  } catch (thrown) {
    showToast({ kind: "bad", title: "Could not undo", text: messageOf(thrown) });
  }
}

/** Returns what was written, and which parts of it have no effect. */
function savedText(file: string, overridden: readonly string[]): string {
  const wrote = `Wrote ${file}.`;
  return overridden.length === 0 ? wrote : `${wrote} ${overriddenText(overridden)}`;
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
  const ask = useCallback(() => api.send("proposeEdit", {}, { action }), [api, action]);
  const [{ value, error }, reload] = useLoaded(ask);
  const queries = useQueryClient();
  const may = usePermission("editConfig");
  const mayUndo = usePermission("undoEdit");
  const [failure, setFailure] = useState<string>();
  const [isWriting, setIsWriting] = useState(false);
  const [reason, setReason] = useState("");
  const write = async (hash: string): Promise<void> => {
    setIsWriting(true);
    try {
      const edit = { action, hash, ...reasonIn(reason) };
      const { id, overridden } = await api.send("editConfig", {}, edit);
      showToast({
        title: "Saved",
        text: savedText(value?.file ?? "the configuration", overridden),
        kind: overridden.length === 0 ? "good" : "plain",
        action: {
          label: "Undo",
          field: REASON_TO_UNDO,
          run: (why) => mayUndo.run(() => void undo(api, id, why, queries)),
        },
      });
      onWritten?.();
      onClose();
    } catch (thrown) {
      const { status = 0 } = thrown instanceof ApiError ? thrown : {};
      setFailure(messageOf(thrown));
      // The file has changed, so show the difference to the current version next.
      if (status === 409) reload();
    } finally {
      setIsWriting(false);
    }
  };
  const isUnchanged = value !== undefined && value.diff === "" && value.paste === undefined;
  const hash = value?.writable === true ? value.hash : null;
  return (
    <Dialog
      open
      onClose={onClose}
      title={title}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          {hash !== null && !isUnchanged && (
            <Button
              variant="primary"
              disabled={isWriting}
              onClick={() => may.run(() => void write(hash))}
            >
              Save
            </Button>
          )}
        </>
      }
    >
      {/* As high as most content, so that the buttons do not move. */}
      <div className="flex min-h-72 flex-col max-sm:min-h-96 gap-3 p-4">
        {value === undefined && error === undefined && <p role="status">Loading the change…</p>}
        {error !== undefined && <Failure error={error} onRetry={reload} />}
        {failure !== undefined && <Failure error={failure} />}
        {isUnchanged && <p>The configuration already has this. Nothing needs to be written.</p>}
        {value?.writable === true && value.diff !== "" && (
          <>
            <p className="text-soft">
              This is written to{" "}
              <code className="font-mono">
                <ExternalText text={value.file ?? "the configuration"} />
              </code>
              . Comments stay, and it takes effect with the next message.
            </p>
            <Diff label="What changes" text={value.diff} isBrief />
            <ReasonField value={reason} onChange={setReason} />
          </>
        )}
        {value !== undefined && !value.writable && (
          <>
            <p className="text-soft">
              <ExternalText text={value.reason ?? "The gateway cannot write this file."} /> Add
              these lines to{" "}
              <code className="font-mono">
                <ExternalText text={value.file ?? value.paste?.file ?? "touchstone.json"} />
              </code>
              :
            </p>
            <Code label="Lines to add" text={value.paste?.text ?? value.diff} copy="lines" />
          </>
        )}
      </div>
    </Dialog>
  );
}

import type { ShownPin as Pin } from "@touchstone/gateway/api";
import { type ReactElement, useCallback, useState } from "react";
import { ApiError } from "../api/client.ts";
import { type GatewayApi, messageOf } from "../api/gateway.ts";
import { DefinitionDiff } from "../changes/definition-diff.tsx";
import { TokenField } from "../page/auth-bar.tsx";
import { Failure } from "../page/failure.tsx";
import { Loading } from "../page/loading.tsx";
import { ReasonField, reasonIn } from "../page/reason-field.tsx";
import { useLoaded } from "../page/use-loaded.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Shown } from "../ui/shown.tsx";
import { say } from "../ui/toast.tsx";
import { diffTitle, labelOf } from "./pins.ts";

const WORDS = {
  approve: {
    title: "Approve",
    done: "Approved",
    text: "Clients of all gateways that share these records get it from now on, exactly as it is declared here. If it changes again, it is held again.",
  },
  revoke: {
    title: "Revoke",
    done: "Revoked",
    text: "It is blocked from now on if pin is strict, also if a lock file has it. You can approve it again.",
  },
} as const;

/** For prompts and resource templates, which are not held back. */
const RECORDED =
  "The decision is recorded. Prompts and resource templates reach clients in any state.";

/**
 * Asks whether a declaration is to be approved, or revoked if it is approved, and does it. Shows the difference from what
 * is approved first: without it, nothing can be approved. What is approved is the hash of exactly what is shown.
 */
export function DecideDialog({
  api,
  pin,
  onClose,
  onDecided,
}: {
  readonly api: GatewayApi;
  readonly pin: Pin;
  readonly onClose: () => void;
  readonly onDecided: () => void;
}): ReactElement {
  const [failure, setFailure] = useState<{ readonly text: string; readonly status: number }>();
  const [isSending, setIsSending] = useState(false);
  const [reason, setReason] = useState("");
  const verb = pin.state === "approved" ? "revoke" : "approve";
  const { title, done, text } = WORDS[verb];
  const { server, kind, name, hash } = pin;
  const ask = useCallback(
    (signal: AbortSignal) => api.get("diffPin", { server, kind, name, hash }, signal),
    [api, server, kind, name, hash],
  );
  const [shown, reload] = useLoaded(ask);
  const isShown = shown.value !== undefined && shown.error === undefined;
  const isHeldBack = kind === "tool" || kind === "instructions";
  const decide = async (): Promise<void> => {
    setIsSending(true);
    setFailure(undefined);
    try {
      await api.send(
        verb === "approve" ? "approvePin" : "revokePin",
        {},
        { server, kind, name, hash, ...reasonIn(reason) },
      );
      say({ title: done, text: `${labelOf(pin)} of ${server}` });
      onDecided();
      onClose();
    } catch (thrown) {
      const { status = 0 } = thrown instanceof ApiError ? thrown : {};
      setFailure({ text: messageOf(thrown), status });
    } finally {
      setIsSending(false);
    }
  };
  return (
    <Dialog
      open
      onClose={onClose}
      title={<Shown text={`${title} ${labelOf(pin)} of ${server}`} />}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            variant={verb === "approve" ? "primary" : "danger"}
            disabled={isSending || (verb === "approve" && !isShown)}
            onClick={() => void decide()}
          >
            {title}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-3 p-4">
        <p>{isHeldBack ? text : RECORDED}</p>
        {shown.error !== undefined && <Failure error={shown.error} onRetry={reload} />}
        {shown.value === undefined && shown.error === undefined && (
          <Loading what="the difference" />
        )}
        {shown.value !== undefined && (
          <DefinitionDiff title={diffTitle(shown.value)} diff={shown.value.diff} />
        )}
        {verb === "approve" && shown.value?.diff === null && (
          <p className="text-soft">
            You approve a text that cannot be shown here. Compare the hash with that of a text you
            know.
          </p>
        )}
        <p className="text-soft">
          Hash:{" "}
          <code className="font-mono text-[0.8125rem] break-all">
            <Shown text={hash} />
          </code>
        </p>
        <ReasonField value={reason} onChange={setReason} />
        {failure !== undefined && <Failure error={failure.text} />}
        {(failure?.status === 401 || failure?.status === 403) && <TokenField />}
      </div>
    </Dialog>
  );
}

import type { ShownPin as Pin } from "@touchstone/gateway/api";
import { type ReactElement, useState } from "react";
import { ApiError } from "../api/client.ts";
import { type GatewayApi, messageOf } from "../api/gateway.ts";
import { TokenField } from "../page/auth-bar.tsx";
import { Failure } from "../page/failure.tsx";
import { ReasonField, reasonIn } from "../page/reason-field.tsx";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Shown } from "../ui/shown.tsx";
import { say } from "../ui/toast.tsx";
import { labelOf } from "./pins.ts";

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

/** Asks whether a declaration is to be approved, or revoked if it is approved, and does it. */
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
            disabled={isSending}
            onClick={() => void decide()}
          >
            {title}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-3 p-4">
        <p>{isHeldBack ? text : RECORDED}</p>
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

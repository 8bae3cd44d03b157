import type { PinWithDiff } from "@touchstone/gateway/api";
import { Ban, Check } from "lucide-react";
import { type ReactElement, useState } from "react";
import { usePermission } from "../access/rights.ts";
import { type GatewayApi, messageOf } from "../api/gateway.ts";
import { Failure } from "../page/failure.tsx";
import { ReasonField, reasonIn } from "../page/reason-field.tsx";
import { Button } from "../ui/button.tsx";
import { Card } from "../ui/card.tsx";
import { ExternalText } from "../ui/external-text.tsx";
import { showToast } from "../ui/toast.ts";
import { changedText, declarationLabel } from "./pins.ts";

const WORDS = {
  approve: {
    title: "Approve",
    done: "Approved",
    text: "Clients of all gateways that share these records get it from now on, exactly as it is declared here. If it changes again, it is held again.",
  },
  revoke: {
    title: "Revoke",
    done: "Revoked",
    text: "It is blocked from now on if pin is strict, even if a lock file has it. You can approve it again.",
  },
} as const;

const OPERATION = { approve: "approvePin", revoke: "revokePin" } as const;

/** Shown for prompts and resource templates, which are not held back. */
const RECORDED =
  "The decision is recorded. Prompts and resource templates reach clients in any state.";

/**
 * Approves a declaration, or revokes it if it is approved. It is below the difference, so that the user sees the
 * difference first. What is approved is the hash of exactly the declaration that is shown.
 */
export function DecideCard({
  api,
  pin,
  onDecided,
}: {
  readonly api: GatewayApi;
  readonly pin: PinWithDiff;
  readonly onDecided: () => void;
}): ReactElement {
  const [failure, setFailure] = useState<string>();
  const [isSending, setIsSending] = useState(false);
  const [reason, setReason] = useState("");
  const verb = pin.state === "approved" ? "revoke" : "approve";
  const { title, done, text } = WORDS[verb];
  const operation = OPERATION[verb];
  const may = usePermission(operation);
  const { server, kind, name, hash } = pin;
  const isHeldBack = kind === "tool" || kind === "instructions";
  const decide = async (): Promise<void> => {
    setIsSending(true);
    setFailure(undefined);
    try {
      await api.send(operation, {}, { server, kind, name, hash, ...reasonIn(reason) });
      showToast({ title: done, text: `${declarationLabel(pin)} of ${server}` });
      setReason("");
      onDecided();
    } catch (thrown) {
      setFailure(messageOf(thrown));
    } finally {
      setIsSending(false);
    }
  };
  return (
    <Card title={title} hint={verb === "approve" ? changedText(pin) : undefined}>
      <div className="flex flex-col gap-3">
        <p className="text-soft">{isHeldBack ? text : RECORDED}</p>
        {verb === "approve" && pin.diff === null && (
          <p>
            You approve a text that cannot be shown here. Compare the hash with that of a text you
            know.
          </p>
        )}
        <p className="text-soft">
          Hash:{" "}
          <code className="font-mono text-[0.8125rem] break-all">
            <ExternalText text={hash} />
          </code>
        </p>
        {may.isOffered && <ReasonField value={reason} onChange={setReason} />}
        {failure !== undefined && <Failure error={failure} />}
        <div>
          <Button
            variant={verb === "approve" ? "primary" : "default"}
            disabled={isSending || !may.isOffered}
            title={may.reason}
            onClick={() => may.run(() => void decide())}
          >
            {verb === "approve" ? <Check aria-hidden="true" /> : <Ban aria-hidden="true" />}
            {title}
          </Button>
        </div>
      </div>
    </Card>
  );
}

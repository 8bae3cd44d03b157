import type { Problem } from "@touchstone/gateway/api";
import { type ReactElement, useState } from "react";
import { usePermission } from "../access/rights.ts";
import { type GatewayApi, messageOf } from "../api/gateway.ts";
import { Failure } from "../page/failure.tsx";
import { ReasonField, reasonIn } from "../page/reason-field.tsx";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { ExternalText } from "../ui/external-text.tsx";
import { Select } from "../ui/select.tsx";
import { showToast } from "../ui/toast.ts";

const DAY_MS = 86_400_000;
/** For how many days a problem may be ignored. */
const DAYS: readonly (readonly [days: string, label: string])[] = [
  ["1", "1 day"],
  ["7", "7 days"],
  ["30", "30 days"],
  ["90", "90 days"],
  ["365", "1 year"],
];

/** Asks for how long to ignore a problem, and why. Calls are checked as before. */
export function IgnoreDialog({
  api,
  problem,
  onClose,
  onIgnored,
}: {
  readonly api: GatewayApi;
  readonly problem: Problem;
  readonly onClose: () => void;
  readonly onIgnored: () => void;
}): ReactElement {
  const [days, setDays] = useState("7");
  const [reason, setReason] = useState("");
  const [failure, setFailure] = useState<string>();
  const [isSending, setIsSending] = useState(false);
  const may = usePermission("ignoreProblem");
  const ignore = async (): Promise<void> => {
    setIsSending(true);
    setFailure(undefined);
    try {
      const until = new Date(Date.now() + Number(days) * DAY_MS).toISOString();
      await api.send("ignoreProblem", { id: problem.id }, { until, ...reasonIn(reason) });
      showToast({ title: "Ignored" });
      onIgnored();
      onClose();
    } catch (thrown) {
      setFailure(messageOf(thrown));
    } finally {
      setIsSending(false);
    }
  };
  return (
    <Dialog
      open
      onClose={onClose}
      title="Ignore this problem"
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            variant="primary"
            disabled={isSending}
            onClick={() => may.run(() => void ignore())}
          >
            Ignore
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-3 p-4">
        <p>
          <ExternalText text={problem.text} />
        </p>
        <p className="text-soft">
          The problem moves to the ignored ones. Calls are checked, blocked and recorded as before.
        </p>
        <Select
          label="For how long"
          className="w-40"
          value={days}
          choices={DAYS.map(([value, label]) => ({ value, label }))}
          onChange={setDays}
        />
        <ReasonField value={reason} onChange={setReason} />
        {failure !== undefined && <Failure error={failure} />}
      </div>
    </Dialog>
  );
}

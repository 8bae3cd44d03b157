import { PRESET_NAMES, PRESET_SUMMARIES } from "@touchstone/gateway/api";
import { type ReactElement, useState } from "react";
import { usePermission } from "../access/rights.ts";
import type { GatewayApi } from "../api/gateway.ts";
import { type EditAction, EditDialog } from "../page/edit-dialog.tsx";
import { Select } from "../ui/select.tsx";

const CHOICES = [
  { value: "", label: "no preset" },
  ...PRESET_NAMES.map((value) => ({ value, label: `${value}: ${PRESET_SUMMARIES[value]}` })),
];

interface Props {
  readonly api: GatewayApi;
  /** Undefined for the whole gateway. */
  readonly server?: string;
  /** The preset of this level, if it has one. */
  readonly preset: string | undefined;
  readonly onChanged: () => void;
}

/** Changes the preset of the gateway or a server. The change of the file is shown first. */
export function PresetSelect({ api, server, preset = "", onChanged }: Props): ReactElement {
  const [action, setAction] = useState<EditAction>();
  const may = usePermission("editConfig");
  const set = (value: string): void => {
    if (value === preset) return;
    const change: EditAction = {
      kind: "settings",
      ...(server === undefined ? {} : { server }),
      set: { preset: value === "" ? null : value },
    };
    may.run(() => setAction(change));
  };
  return (
    <div className="mb-2">
      <Select
        label={server === undefined ? "Preset" : `Preset of server ${server}`}
        value={preset}
        choices={CHOICES}
        disabled={!may.isOffered}
        onChange={set}
      />
      {action !== undefined && (
        <EditDialog
          api={api}
          title="Preset"
          action={action}
          onClose={() => setAction(undefined)}
          onWritten={onChanged}
        />
      )}
    </div>
  );
}

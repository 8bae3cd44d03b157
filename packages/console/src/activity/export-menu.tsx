import { Download, Link } from "lucide-react";
import type { ReactElement } from "react";
import { type GatewayApi, messageOf } from "../api/gateway.ts";
import { saveBlob } from "../api/save.ts";
import { Button } from "../ui/button.tsx";
import { copyText } from "../ui/copy.tsx";
import { Menu, MenuItem } from "../ui/menu.tsx";
import { showToast } from "../ui/toast.ts";
import { type ActivityView, type Filters, parametersOf } from "./filter.ts";

/** The formats in which records can be saved. To add one, add an entry. */
const FORMATS = [
  ["jsonl", "JSON Lines"],
  ["csv", "CSV"],
] as const;

async function save(
  api: GatewayApi,
  view: ActivityView,
  filters: Filters,
  format: string,
): Promise<void> {
  try {
    const filtered = { ...parametersOf(view, filters), format };
    const blob = await api.download("exportActivity", filtered);
    const name = `touchstone-activity.${format}`;
    saveBlob(blob, name);
    showToast({ title: `Saved ${name}` });
  } catch (thrown) {
    showToast({ kind: "bad", title: "Could not export", text: messageOf(thrown) });
  }
}

/** Saves the records of the listed rows, or copies a link to the list. */
export function ExportMenu(props: {
  readonly api: GatewayApi;
  readonly view: ActivityView;
  readonly filters: Filters;
}): ReactElement {
  const { api, view, filters } = props;
  return (
    <Menu
      trigger={
        <Button>
          <Download aria-hidden="true" />
          Export
        </Button>
      }
    >
      {FORMATS.map(([format, label]) => (
        <MenuItem key={format} onSelect={() => void save(api, view, filters, format)}>
          <Download aria-hidden="true" />
          {label} of all that match
        </MenuItem>
      ))}
      <MenuItem onSelect={() => void copyText(location.href, "the link to this view")}>
        <Link aria-hidden="true" />
        Copy the link to this view
      </MenuItem>
    </Menu>
  );
}

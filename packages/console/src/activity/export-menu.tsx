import { Download, Link } from "lucide-react";
import type { ReactElement } from "react";
import { type GatewayApi, messageOf } from "../api/gateway.ts";
import { Button } from "../ui/button.tsx";
import { copyText } from "../ui/copy.tsx";
import { Menu, MenuItem } from "../ui/menu.tsx";
import { say } from "../ui/toast.tsx";
import type { Filters, View } from "./filter.ts";
import { parametersOf } from "./rows.ts";

/** The formats in which records can be saved. To add one, add an entry. */
const FORMATS = [
  ["jsonl", "JSON Lines"],
  ["csv", "CSV"],
] as const;

async function save(api: GatewayApi, view: View, filters: Filters, format: string): Promise<void> {
  try {
    const filtered = { ...parametersOf(view, filters), format };
    const blob = await api.download("exportActivity", filtered);
    const url = URL.createObjectURL(blob);
    const link = document.createElement("a");
    link.href = url;
    link.download = `touchstone-activity.${format}`;
    link.click();
    URL.revokeObjectURL(url);
    say({ title: `Saved ${link.download}` });
  } catch (thrown) {
    say({ kind: "bad", title: "Could not export", text: messageOf(thrown) });
  }
}

/** Saves the records of the listed rows, or copies a link to the list. */
export function ExportMenu(props: {
  readonly api: GatewayApi;
  readonly view: View;
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

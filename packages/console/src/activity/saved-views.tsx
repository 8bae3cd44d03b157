import type { SavedView } from "@touchstone/gateway/api";
import { Bookmark, Settings2 } from "lucide-react";
import { type ReactElement, Suspense, useCallback, useState } from "react";
import type { GatewayApi } from "../api/gateway.ts";
import { lazyPart } from "../page/lazy-part.tsx";
import { hashOf } from "../page/route.ts";
import { useLoaded } from "../page/use-loaded.ts";
import { Button } from "../ui/button.tsx";
import { ExternalText } from "../ui/external-text.tsx";
import { Menu, MenuItem } from "../ui/menu.tsx";
import { type ActivityView, type Filters, filtersOfView, writeView } from "./filter.ts";

const ViewsDialog = lazyPart(() => import("./views-dialog.tsx"));

/** Lists the saved views, and opens a dialog to save or delete views. */
export function SavedViews(props: {
  readonly api: GatewayApi;
  readonly view: ActivityView;
  readonly filters: Filters;
}): ReactElement {
  const { api } = props;
  const [isOpen, setIsOpen] = useState(false);
  const ask = useCallback((signal: AbortSignal) => api.get("listViews", {}, signal), [api]);
  const [{ value = [] }, reload] = useLoaded(ask, undefined, ["views"]);
  return (
    <>
      <Menu
        trigger={
          <Button>
            <Bookmark aria-hidden="true" />
            Views
          </Button>
        }
      >
        {value.map((saved) => (
          <MenuItem key={saved.id} href={addressOf(saved)}>
            <Bookmark aria-hidden="true" />
            <ExternalText text={saved.name} />
          </MenuItem>
        ))}
        <MenuItem onSelect={() => setIsOpen(true)}>
          <Settings2 aria-hidden="true" />
          Save or delete views…
        </MenuItem>
      </Menu>
      {isOpen && (
        <Suspense fallback={null}>
          <ViewsDialog
            {...props}
            views={value}
            onChanged={reload}
            onClose={() => setIsOpen(false)}
          />
        </Suspense>
      )}
    </>
  );
}

/** Returns the address of a view: only the filters of what was saved, whatever else it contains. */
function addressOf({ list, query }: SavedView): string {
  return hashOf("activity", "", writeView(list, filtersOfView(list, query)));
}

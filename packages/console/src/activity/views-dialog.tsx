import { MAX_VIEW_NAME, type SavedView } from "@touchstone/gateway/api";
import { Trash2 } from "lucide-react";
import { type FormEvent, type ReactElement, useState } from "react";
import { usePermission } from "../access/rights.ts";
import { type GatewayApi, messageOf } from "../api/gateway.ts";
import { Notice } from "../page/notice.tsx";
import { visible } from "../text/visible.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { ExternalText } from "../ui/external-text.tsx";
import { Input } from "../ui/field.tsx";
import { showToast } from "../ui/toast.ts";
import { type ActivityView, type Filters, savedQuery } from "./filter.ts";

/** Saves the filters of a list under a name, and deletes saved views. */
export default function ViewsDialog({
  api,
  view,
  filters,
  views,
  onChanged,
  onClose,
}: {
  readonly api: GatewayApi;
  readonly view: ActivityView;
  readonly filters: Filters;
  readonly views: readonly SavedView[];
  readonly onChanged: () => void;
  readonly onClose: () => void;
}): ReactElement {
  const [name, setName] = useState("");
  const [failure, setFailure] = useState<string>();
  const [isSending, setIsSending] = useState(false);
  const maySave = usePermission("saveView");
  const mayDelete = usePermission("deleteView");
  const query = savedQuery(view, filters);
  const change = async (title: string, send: () => Promise<unknown>): Promise<void> => {
    setIsSending(true);
    setFailure(undefined);
    try {
      await send();
      showToast({ title });
      setName("");
      onChanged();
    } catch (thrown) {
      setFailure(messageOf(thrown));
    }
    setIsSending(false);
  };
  const save = (event: FormEvent): void => {
    event.preventDefault();
    maySave.run(
      () =>
        void change(`Saved the view ${name.trim()}`, () =>
          api.send("saveView", {}, { name: name.trim(), list: view, query }),
        ),
    );
  };
  return (
    <Dialog open onClose={onClose} title="Saved views">
      <div className="flex flex-col gap-4 p-4">
        <form className="flex flex-col gap-2" onSubmit={save}>
          <p className="text-soft">
            Everyone who sees this console can open a saved view. If the name exists already, its
            filters are replaced.
          </p>
          <p className="min-w-0 break-words">
            Filters: {query === "" ? "none" : <ExternalText text={query} />}
          </p>
          {/* biome-ignore lint/a11y/noLabelWithoutControl: the field is in it */}
          <label className="flex flex-col gap-1 text-[0.8125rem] text-soft">
            Name
            <Input
              className="text-sm text-text"
              value={name}
              maxLength={MAX_VIEW_NAME}
              onChange={(event) => setName(event.target.value)}
            />
          </label>
          {maySave.reason !== undefined && <p className="text-soft">{maySave.reason}</p>}
          <div>
            <Button
              type="submit"
              variant="primary"
              disabled={name.trim() === "" || isSending || !maySave.isOffered}
            >
              Save this view
            </Button>
          </div>
        </form>
        {failure !== undefined && (
          <Notice kind="bad">
            <ExternalText text={failure} />
          </Notice>
        )}
        {views.length > 0 && (
          <ul aria-label="Saved views" className="flex flex-col divide-y divide-line">
            {views.map((saved) => (
              <li key={saved.id} className="flex items-center gap-2 py-1.5">
                <span className="min-w-0 flex-1 truncate">
                  <ExternalText text={saved.name} />{" "}
                  <span className="text-soft">
                    <ExternalText text={saved.query} />
                  </span>
                </span>
                <Button
                  variant="quiet"
                  size="icon"
                  aria-label={visible(`Delete ${saved.name}`)}
                  disabled={isSending || !mayDelete.isOffered}
                  onClick={() =>
                    mayDelete.run(
                      () =>
                        void change(`Deleted the view ${saved.name}`, () =>
                          api.remove("deleteView", { id: saved.id }),
                        ),
                    )
                  }
                >
                  <Trash2 aria-hidden="true" />
                </Button>
              </li>
            ))}
          </ul>
        )}
      </div>
    </Dialog>
  );
}

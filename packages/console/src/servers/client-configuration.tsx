import { type ReactElement, useState } from "react";
import { Code } from "../ui/code.tsx";
import { Select } from "../ui/select.tsx";
import { CLIENT_ENTRIES, type EntryTarget } from "./client-entries.ts";

/** Shows what to put into the chosen client's configuration so that it reaches a server through the gateway. */
export function ClientConfiguration({ server }: { readonly server: EntryTarget }): ReactElement {
  const [id, setId] = useState(CLIENT_ENTRIES[0].id);
  const client = CLIENT_ENTRIES.find((each) => each.id === id) ?? CLIENT_ENTRIES[0];
  return (
    <div className="flex min-w-0 flex-col gap-2 text-start">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <Select
          label="Client"
          className="w-56"
          value={client.id}
          choices={CLIENT_ENTRIES.map((each) => ({ value: each.id, label: each.label }))}
          onChange={setId}
        />
        <span className="min-w-0 text-soft">{client.place}</span>
      </div>
      <Code label={`Entry for ${client.label}`} text={client.text(server)} copy="entry" />
      {server.hasKey && (
        <p className="text-[0.8125rem] text-soft">
          The gateway asks for a key, such as auth.api_key. The page does not know it: enter it.
        </p>
      )}
    </div>
  );
}

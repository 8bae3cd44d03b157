import { type ReactElement, useState, useSyncExternalStore } from "react";
import type { Api } from "../api/client.ts";
import { authorizationOf } from "../call/token.ts";
import { ToolsPage } from "../tools/tools-page.tsx";
import { AuthBar } from "./auth-bar.tsx";
import { readRoute } from "./route.ts";
import { ThemeChoice } from "./theme.tsx";

function onHash(changed: () => void): () => void {
  addEventListener("hashchange", changed);
  return () => removeEventListener("hashchange", changed);
}

interface Props {
  readonly api: Api;
  readonly allowExecute: boolean;
}

/** The page. */
export function App({ api, allowExecute }: Props): ReactElement {
  const hash = useSyncExternalStore(onHash, () => location.hash);
  const [typed, setTyped] = useState("");
  return (
    <>
      <div className="bar">
        <AuthBar typed={typed} onType={setTyped} />
        <ThemeChoice />
      </div>
      <ToolsPage
        api={api}
        allowExecute={allowExecute}
        authorization={authorizationOf(typed)}
        open={readRoute(hash).tool}
      />
    </>
  );
}

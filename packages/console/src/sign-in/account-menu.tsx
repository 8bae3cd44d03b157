import { LogIn } from "lucide-react";
import { type ReactElement, Suspense, useContext } from "react";
import { SessionContext } from "../access/rights.ts";
import { ErrorBoundary } from "../page/error-boundary.tsx";
import { lazyPart } from "../page/lazy-part.tsx";
import { Button } from "../ui/button.tsx";

// Menus are large, and a visitor has none.
const PersonMenu = lazyPart(() => import("./person-menu.tsx"));

/** Shows who is signed in, and signs out; lets a visitor sign in. Nothing if no gateway serves the page. */
export function AccountMenu(): ReactElement | null {
  const session = useContext(SessionContext);
  if (session === undefined) return null;
  const { gateway, store, state } = session;
  const { who } = state;
  if (who.kind === "person") {
    return (
      <ErrorBoundary fallback={null}>
        <Suspense fallback={null}>
          <PersonMenu gateway={gateway} store={store} person={who.person} />
        </Suspense>
      </ErrorBoundary>
    );
  }
  return (
    <Button variant="quiet" size="sm" onClick={() => store.ask()}>
      <LogIn aria-hidden="true" />
      Sign in
    </Button>
  );
}

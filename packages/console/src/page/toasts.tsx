import { type ReactElement, Suspense, useEffect, useState } from "react";
import { onSaid } from "../ui/toast.ts";
import { ErrorBoundary } from "./error-boundary.tsx";
import { lazyPart } from "./lazy-part.tsx";

const load = () => import("../ui/toast-list.tsx");
const ToastList = lazyPart(load);

/**
 * Delay in milliseconds after which the code for messages loads even without a message: a message may report that
 * nothing can be loaded.
 */
const AHEAD_MS = 3_000;

/** Shows short messages. The code for that loads with the first message, or some time after the page. */
export function Toasts(): ReactElement | null {
  const [isNeeded, setIsNeeded] = useState(false);
  useEffect(() => onSaid(() => setIsNeeded(true)), []);
  useEffect(() => {
    // If this fails, the first message tries again.
    const timer = setTimeout(() => void load().catch(() => {}), AHEAD_MS);
    return () => clearTimeout(timer);
  }, []);
  if (!isNeeded) return null;
  return (
    <ErrorBoundary fallback={null}>
      <Suspense fallback={null}>
        <ToastList />
      </Suspense>
    </ErrorBoundary>
  );
}

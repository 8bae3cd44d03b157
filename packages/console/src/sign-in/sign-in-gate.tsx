import { type ReactElement, type ReactNode, useEffect } from "react";
import type { PageSession } from "../access/rights.ts";
import { Failure } from "../page/failure.tsx";
import { Loading } from "../page/loading.tsx";
import { Notice } from "../page/notice.tsx";
import { Button } from "../ui/button.tsx";
import { Cover } from "../ui/cover.tsx";
import { ExternalText } from "../ui/external-text.tsx";
import { isSignIn } from "./code.ts";
import { useProviderError } from "./errors.ts";
import { takeReturnView } from "./return-view.ts";
import { SignInForm } from "./sign-in-form.tsx";

const ENDED = "Your session has ended. What you typed and looked at is still here.";

interface Props {
  readonly session: PageSession;
  readonly title: string;
  /** The fragment of the page's address. */
  readonly hash: string;
  readonly children: ReactNode;
}

/** Replaces the address of the sign-in page with the requested view. */
function Leave(): null {
  useEffect(() => location.replace(takeReturnView()), []);
  return null;
}

/**
 * Shows pages to users who may see them, and the sign-in page to others. If a session ends, the sign-in page covers
 * what was shown, which keeps its state until the same user has signed in again.
 */
export function SignInGate({ session, title, hash, children }: Props): ReactElement {
  const { gateway, store, state } = session;
  const refusal = useProviderError(store, hash);
  const { who, hasShown, linkError, asked } = state;
  if (who.kind === "unknown") {
    return who.error === undefined ? (
      <Loading what="the console" />
    ) : (
      <main className="p-4">
        <Failure error={who.error} onRetry={() => void store.check()} />
      </main>
    );
  }
  const { providers } = who;
  const form = { store, title, gateway, providers };
  const error = refusal ?? linkError;
  const isStranger = who.kind === "stranger";
  if (who.kind === "person" && isSignIn(hash)) return <Leave />;
  if (isStranger && !hasShown) return <SignInForm {...form} error={error} />;
  if (isSignIn(hash)) {
    const goOn = isStranger ? undefined : () => location.replace(takeReturnView());
    return <SignInForm {...form} error={error} onCancel={goOn} />;
  }
  return (
    <>
      {!isStranger && linkError !== undefined && (
        <div role="alert" className="px-4 lg:px-6">
          <Notice kind="bad">
            <p>
              <ExternalText text={linkError} />
            </p>
            <Button size="sm" onClick={() => store.dismissLink()}>
              Dismiss
            </Button>
          </Notice>
        </div>
      )}
      {children}
      {isStranger && (
        <Cover label="Sign in">
          <SignInForm {...form} error={linkError} why={ENDED} />
        </Cover>
      )}
      {!isStranger && asked !== undefined && (
        <Cover label="Sign in" onCancel={() => store.cancel()}>
          <SignInForm
            {...form}
            why={
              asked.role === undefined
                ? "Without a key, this gateway shows everything. Changes need one."
                : `This change needs the role ${asked.role}.`
            }
            onCancel={() => store.cancel()}
          />
        </Cover>
      )}
    </>
  );
}

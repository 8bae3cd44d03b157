import { KeyRound, LogIn } from "lucide-react";
import { type ReactElement, type ReactNode, useEffect, useId, useRef, useState } from "react";
import type { Provider, SessionStore } from "../access/session.ts";
import { Notice } from "../page/notice.tsx";
import logo from "../style/logo.svg";
import { Button, ButtonLink } from "../ui/button.tsx";
import { Code } from "../ui/code.tsx";
import { ExternalText } from "../ui/external-text.tsx";
import { Input } from "../ui/field.tsx";
import { providerUrl } from "./provider-url.ts";
import { keepReturnView, returnView } from "./return-view.ts";

/** A field for a key. The typed text exists only in the field, which is emptied as soon as the key is sent. */
function KeyField({ store }: { readonly store: SessionStore }): ReactElement {
  const id = useId();
  const field = useRef<HTMLInputElement>(null);
  const [refusal, setRefusal] = useState<string>();
  const [isSending, setIsSending] = useState(false);
  // The form may be open because the user pressed a button elsewhere.
  useEffect(() => field.current?.focus(), []);
  const send = async (): Promise<void> => {
    const { current } = field;
    const key = current?.value.trim() ?? "";
    if (current === null || isSending) return;
    if (key === "") {
      setRefusal("Enter a key.");
      current.focus();
      return;
    }
    current.value = "";
    setIsSending(true);
    const why = await store.signIn(key);
    setIsSending(false);
    setRefusal(why);
    if (why !== undefined) current.focus();
  };
  return (
    <form
      aria-label="Sign in with a key"
      className="flex flex-col gap-1"
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      <label htmlFor={id} className="font-medium">
        Key
      </label>
      <div className="flex gap-2">
        <Input
          ref={field}
          id={id}
          type="password"
          aria-describedby={`${id}-help`}
          aria-invalid={refusal !== undefined}
          onChange={() => setRefusal(undefined)}
        />
        <Button type="submit" variant="primary" aria-disabled={isSending}>
          <LogIn aria-hidden="true" />
          Sign in
        </Button>
      </div>
      <p id={`${id}-help`} role="status" className="min-h-10 text-[0.8125rem]">
        {refusal === undefined ? (
          <span className="text-soft">
            {isSending
              ? "Signing in…"
              : "A key of auth.keys, auth.admin_key, or the token in the file operator-token. The page sends it once and does not store it."}
          </span>
        ) : (
          <span className="text-bad">
            <ExternalText text={refusal} />
          </span>
        )}
      </p>
    </form>
  );
}

function Providers({
  gateway,
  providers,
}: {
  /** URL of the gateway, with a trailing slash. */
  readonly gateway: string;
  readonly providers: readonly Provider[];
}): ReactElement | null {
  if (providers.length === 0) return null;
  return (
    <ul aria-label="Providers" className="flex flex-col gap-2">
      {providers.map(({ name, label }) => {
        const view = encodeURIComponent(returnView(location.hash));
        return (
          <li key={name}>
            <ButtonLink
              className="w-full justify-center"
              href={providerUrl(gateway, name, `?return_to=${view}`)}
              onClick={() => keepReturnView(location.hash)}
            >
              <span className="min-w-0 truncate">
                Continue with <ExternalText text={label} />
              </span>
            </ButtonLink>
          </li>
        );
      })}
    </ul>
  );
}

interface Props {
  readonly store: SessionStore;
  readonly title: string;
  readonly gateway: string;
  readonly providers: readonly Provider[];
  /** Why the user has to sign in, or has to sign in again. */
  readonly why?: ReactNode;
  /** Why the last attempt failed. */
  readonly error?: string | undefined;
  /** Goes on without signing in, if that is possible. */
  readonly onCancel?: (() => void) | undefined;
}

/** Shows the ways to sign in: a provider, a key, or a link of `touchstone ui`. */
export function SignInForm(props: Props): ReactElement {
  const { store, title, gateway, providers, why, error, onCancel } = props;
  return (
    <main className="mx-auto flex min-h-dvh w-full max-w-md flex-col justify-center gap-4 p-4 py-8">
      <header className="flex flex-col gap-2">
        <img src={logo} alt="" width={32} height={32} className="size-8" />
        <h1 className="text-xl font-semibold">
          Sign in to <ExternalText text={title} />
        </h1>
        {why !== undefined && <p className="text-soft">{why}</p>}
      </header>
      {error !== undefined && (
        <div role="alert">
          <Notice kind="bad">
            <ExternalText text={error} />
          </Notice>
        </div>
      )}
      <Providers gateway={gateway} providers={providers} />
      <KeyField store={store} />
      <section aria-label="Without a key" className="flex flex-col gap-2 border-t border-line pt-4">
        <h2 className="flex items-center gap-2 font-medium">
          <KeyRound className="size-4 text-faint" aria-hidden="true" />
          Without a key
        </h2>
        <p className="text-soft">
          On the gateway's machine, as the user who runs it, this command opens the console and
          signs you in with the role admin:
        </p>
        <Code label="Command" text="touchstone ui" copy="command" />
      </section>
      {onCancel !== undefined && (
        <div>
          <Button onClick={onCancel}>Continue without signing in</Button>
        </div>
      )}
    </main>
  );
}

import { LogOut, Monitor, User } from "lucide-react";
import type { ReactElement } from "react";
import type { Person, SessionStore } from "../access/session.ts";
import { messageOf } from "../api/gateway.ts";
import { visible } from "../text/visible.ts";
import { Button } from "../ui/button.tsx";
import { ExternalText } from "../ui/external-text.tsx";
import { Menu, MenuItem } from "../ui/menu.tsx";
import { showToast } from "../ui/toast.ts";
import { BROWSERS_HASH } from "./browsers-hash.ts";
import { personName } from "./person-name.ts";
import { providerUrl } from "./provider-url.ts";

/** @param next where to go afterward */
async function signOut(store: SessionStore, next: string): Promise<void> {
  try {
    await store.signOut();
    // The address may contain what this user searched for.
    location.replace(next);
  } catch (thrown) {
    showToast({ kind: "bad", title: "Could not sign out", text: messageOf(thrown) });
  }
}

/** Returns the URL at which a provider ends its own session, which would otherwise continue. */
function providerSignOut(gateway: string, provider: string): string {
  return providerUrl(gateway, provider, "/sign-out");
}

interface Props {
  readonly gateway: string;
  readonly store: SessionStore;
  readonly person: Person;
}

/** Shows who is signed in, and signs out. */
export default function PersonMenu({ gateway, store, person }: Props): ReactElement {
  const { role, provider, expires } = person;
  const name = personName(person);
  const ends = new Date(expires).toLocaleString("en", { dateStyle: "medium", timeStyle: "short" });
  return (
    <Menu
      trigger={
        <Button
          variant="quiet"
          size="sm"
          className="min-w-0 max-w-full shrink"
          aria-label={visible(`Account: ${name}, ${role}`)}
        >
          <User aria-hidden="true" />
          <span className="min-w-0 truncate">
            <ExternalText text={name} />
          </span>
        </Button>
      }
      heading={
        <dl className="grid max-w-72 grid-cols-[auto_minmax(0,1fr)] gap-x-3 gap-y-0.5 px-2 py-1.5 text-[0.8125rem] [&_dt]:text-soft">
          <dt>Signed in as</dt>
          <dd className="font-medium wrap-anywhere">
            <ExternalText text={name} />
          </dd>
          <dt>Role</dt>
          <dd>{role}</dd>
          {provider !== undefined && (
            <>
              <dt>Provider</dt>
              <dd className="wrap-anywhere">
                <ExternalText text={provider} />
              </dd>
            </>
          )}
          <dt>Until</dt>
          <dd>{ends}</dd>
        </dl>
      }
    >
      {role === "admin" && (
        <MenuItem href={BROWSERS_HASH}>
          <Monitor aria-hidden="true" />
          Signed-in browsers
        </MenuItem>
      )}
      <MenuItem onSelect={() => void signOut(store, "#/")}>
        <LogOut aria-hidden="true" />
        Sign out
      </MenuItem>
      {provider !== undefined && (
        <MenuItem onSelect={() => void signOut(store, providerSignOut(gateway, provider))}>
          <LogOut aria-hidden="true" />
          <span>
            Sign out here and at <ExternalText text={provider} />
          </span>
        </MenuItem>
      )}
    </Menu>
  );
}

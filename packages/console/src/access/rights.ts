import type { OperationId } from "@touchstone/gateway/api";
import { type Context, createContext, useContext } from "react";
import { showToast } from "../ui/toast.ts";
import { includesRole, type Role, type SessionState, type SessionStore } from "./session.ts";

/** The operations that change something and that the page offers. */
export type ChangeOperation = Extract<
  OperationId,
  | "changeModes"
  | "changeServerModes"
  | "changeToolModes"
  | "editConfig"
  | "undoEdit"
  | "approvePin"
  | "revokePin"
  | "ignoreProblem"
  | "unignoreProblem"
  | "endConsoleSession"
  | "testAlert"
  | "saveView"
  | "deleteView"
>;

/**
 * The role that each change needs. A test compares them with the gateway's table of operations, and finds where the page
 * asks for each.
 */
export const CHANGE_ROLES: Readonly<Record<ChangeOperation, Role>> = {
  changeModes: "admin",
  changeServerModes: "admin",
  changeToolModes: "admin",
  editConfig: "admin",
  undoEdit: "admin",
  approvePin: "admin",
  revokePin: "admin",
  ignoreProblem: "admin",
  unignoreProblem: "admin",
  endConsoleSession: "admin",
  testAlert: "admin",
  saveView: "admin",
  deleteView: "admin",
};

/** The session of the page. */
export interface PageSession {
  /** URL of the gateway, with a trailing slash. */
  readonly gateway: string;
  readonly store: SessionStore;
  readonly state: SessionState;
}

/** Undefined if a program that uses the library serves the page: that program decides who may do what. */
export const SessionContext: Context<PageSession | undefined> = createContext<
  PageSession | undefined
>(undefined);

/** Whether the user of the page may make a change. */
export interface Permission {
  /** Whether the page offers the change: also to a visitor, who can sign in. */
  readonly isOffered: boolean;
  /** Why the page does not offer the change: which role it needs. */
  readonly reason: string | undefined;
  /** Makes the change. A visitor is asked to sign in first. */
  readonly run: (change: () => void) => void;
}

/** Returns the text for a user whose role is too low. */
export function roleTooLowText(needed: Role, role: Role | undefined): string {
  return `This requires the role ${needed}. ${role === undefined ? "Sign in with it." : `You have the role ${role}.`}`;
}

const ANYTHING: Permission = { isOffered: true, reason: undefined, run: (change) => change() };

/** Returns the right to make a change. Everything in the page that changes something asks for it here. */
export function usePermission(change: ChangeOperation): Permission {
  const session = useContext(SessionContext);
  if (session === undefined) return ANYTHING;
  const { store, state } = session;
  const needed = CHANGE_ROLES[change];
  const { role, who } = state;
  const isEnough = role !== undefined && includesRole(role, needed);
  const isOffered = isEnough || who.kind === "visitor";
  return {
    isOffered,
    reason: isOffered ? undefined : roleTooLowText(needed, role),
    run: (run) =>
      store.need(needed, run, () =>
        showToast({
          kind: "bad",
          title: "Not changed",
          text: roleTooLowText(needed, store.state().role),
        }),
      ),
  };
}

/** Returns whether a command that the user copies has to send a key: true if the user needed one to sign in. */
export function useNeedsKey(): boolean {
  const session = useContext(SessionContext);
  return session?.state.who.kind === "person";
}

/** Returns whether the user of the page has a role. */
export function useHasRole(needed: Role): boolean {
  const session = useContext(SessionContext);
  if (session === undefined) return true;
  const { role } = session.state;
  return role !== undefined && includesRole(role, needed);
}

import type { Role } from "../../settings/schema.ts";

/** A person whom an OpenID provider has identified. */
export interface Person {
  /** The provider's name in the configuration. */
  readonly provider: string;
  readonly issuer: string;
  readonly subject: string;
  /** For records and for the page. */
  readonly name: string;
  readonly groups: readonly string[];
}

/** The current permissions of a person. */
export interface PersonRights {
  readonly role: Role;
  /** SHA-256 of the provider's secret, in hex: sessions end when it changes. */
  readonly secret: string;
}

/** The OpenID providers of the configuration in force. */
export interface Providers {
  /** Returns the providers that the sign-in page offers. */
  shown(): readonly { readonly name: string; readonly label: string }[];
  /** Returns what a person may do by the current rules; undefined if nothing. */
  rightsOf(person: Person): PersonRights | undefined;
}

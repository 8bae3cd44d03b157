import { joinPointer } from "@touchstone/core";
import { type Context, createContext, useContext } from "react";
import type { JsonPath } from "../json/edit.ts";
import type { JsonTree } from "../json/tree.ts";
import type { Finding } from "../verdict/verdict.ts";
import { Branches } from "./branches.ts";

/** Another tree for the one that a form shows. */
export type Edit = (tree: JsonTree) => JsonTree;

/**
 * Hears which branch of a union is shown.
 * @param pointer RFC 6901, to the value
 * @param branch RFC 6901, to the branch, in the schema; undefined where none is shown any more
 */
export type OnChoice = (pointer: string, branch: string | undefined) => void;

/** What the fields of a form share: the value as a tree of texts, and what is said of it. */
export interface FormState {
  readonly tree: JsonTree;
  /** By the pointer of the field that they are about. */
  readonly findings: ReadonlyMap<string, readonly Finding[]>;
  readonly edit: (edit: Edit) => void;
  /** Of the unions in the schema that the form is made of. */
  readonly branches: Branches;
  readonly onChoice: OnChoice;
}

export const FormContext: Context<FormState> = createContext<FormState>({
  tree: { kind: "object", members: [] },
  findings: new Map(),
  edit: () => undefined,
  branches: new Branches("{}"),
  onChoice: () => undefined,
});

/** Whether something is wrong with the field around. */
export const InvalidContext: Context<boolean> = createContext(false);

/** The union around. */
export interface Union {
  /** The pointer of its value. */
  readonly pointer: string;
  /** Where its branches stand in the schema; empty where that is not known. */
  readonly branches: readonly string[];
  /** What they are called. */
  readonly names: readonly string[];
}

export const UnionContext: Context<Union> = createContext<Union>({
  pointer: "",
  branches: [],
  names: [],
});

/** Whether the field around chooses a branch of the union around, and not a value. */
export const KindContext: Context<boolean> = createContext(false);

/** The pointer of the field around, which tells what is wrong there: the branch of a union has it too. */
export const ToldContext: Context<string | undefined> = createContext<string | undefined>(
  undefined,
);

/**
 * Whether the value around keeps its place where it is emptied: without an item, those behind it would move up, and
 * without a property that somebody added, its name would go too.
 */
export const KeptContext: Context<boolean> = createContext(false);

/** The RFC 6901 pointer of a path. */
export function pointerOf(path: JsonPath): string {
  return path.reduce(joinPointer, "");
}

function idOf(what: string, pointer: string): string {
  return `${what}${encodeURIComponent(pointer.toWellFormed())}`;
}

/**
 * The id of the field for a value. The form's library joins names by a character that may stand in them, and
 * leaves spaces in, which end an id where others are told by it.
 * @param pointer RFC 6901, to the value
 */
export function fieldIdOf(pointer: string): string {
  return idOf("argument", pointer);
}

/** The id of the element that tells what is wrong with a value. */
export function issuesIdOf(pointer: string): string {
  return idOf("issues", pointer);
}

/** What ties the field around to its label, and to what is wrong with it. */
export function useFieldIds(): { readonly id: string; readonly "aria-describedby": string } {
  const pointer = useContext(ToldContext) ?? "";
  return { id: fieldIdOf(pointer), "aria-describedby": issuesIdOf(pointer) };
}

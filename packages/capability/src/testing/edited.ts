import { type JsonRange, scanJson } from "@touchstone/core/advanced";
import { type Edit, spliceFrame } from "@touchstone/protocol/advanced";

/** Makes an edit of one member of a result; returns undefined if the result lacks it or stays as it is. */
export function edited(
  result: Uint8Array,
  member: string,
  edit: (result: Uint8Array, range: JsonRange) => Edit | undefined,
): Uint8Array | undefined {
  const { error, members } = scanJson(result, { members: { [member]: true } });
  const range = members.get(`/${member}`);
  const made = error === undefined && range !== undefined ? edit(result, range) : undefined;
  return made && spliceFrame(result, [made]);
}

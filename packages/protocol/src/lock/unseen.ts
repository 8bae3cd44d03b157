/** Characters that people do not see, or see elsewhere than they are. */
const UNSEEN = /[\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cn}\p{Cs}]|[\u007f-\u009f]/gu;

/** Returns a JSON text with invisible characters as escapes. Outside of strings, JSON has none of them. */
export function showUnseen(json: string): string {
  return json.replace(UNSEEN, escaped);
}

function escaped(character: string): string {
  let text = "";
  for (let at = 0; at < character.length; at += 1) {
    text += `\\u${character.charCodeAt(at).toString(16).padStart(4, "0")}`;
  }
  return text;
}

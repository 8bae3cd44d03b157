/** Steps through text by characters: code points, or without Unicode mode code units. */
export class Cursor {
  text = "";
  private readonly unicode: boolean;

  constructor(unicode: boolean) {
    this.unicode = unicode;
  }

  /** Where the character that starts there ends. */
  after(at: number): number {
    const pair = this.unicode && (this.text.codePointAt(at) ?? 0) > 0xffff;
    return at + (pair ? 2 : 1);
  }

  /** Where the character that ends there starts; -1 at the start of the text. */
  before(at: number): number {
    const pair = this.unicode && at > 1 && (this.text.codePointAt(at - 2) ?? 0) > 0xffff;
    return at - (pair ? 2 : 1);
  }

  /** The character that starts there. */
  read(at: number): number | undefined {
    return this.unicode ? this.text.codePointAt(at) : this.text.charCodeAt(at);
  }

  /** Whether a word and something else meet there (ECMA-262, section 22.2.2.4). */
  isWordEdge(at: number): boolean {
    return /\w/.test(this.text.charAt(at - 1)) !== /\w/.test(this.text.charAt(at));
  }
}

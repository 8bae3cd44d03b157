interface Choice {
  readonly place: string;
  readonly options: readonly number[];
  at: number;
}

/**
 * Which branch of each `anyOf` and `oneOf` is repaired. A choice holds for a whole attempt, so that what one branch
 * wants is not undone for another.
 */
export class Choices {
  readonly #made: Choice[] = [];

  /**
   * The branch to repair.
   * @param place what tells the composite and the value that it checks from others
   * @param options the branches that are worth it, the best first; asked for once
   */
  of(place: string, options: () => readonly number[]): number | undefined {
    if (this.#at(place) === undefined) this.#made.push({ place, options: options(), at: 0 });
    return this.made(place);
  }

  /** The branch that was chosen. */
  made(place: string): number | undefined {
    const choice = this.#at(place);
    return choice?.options[choice.at];
  }

  /** Takes the next branch of a composite that failed anyway; false if there is none. */
  advance(place: string): boolean {
    const choice = this.#at(place);
    if (choice === undefined || choice.at + 1 >= choice.options.length) return false;
    choice.at += 1;
    return true;
  }

  /** Takes the next branch where the choice was made last; false if every one has been taken. */
  next(): boolean {
    for (let last = this.#made.at(-1); last !== undefined; last = this.#made.at(-1)) {
      if (this.advance(last.place)) return true;
      this.#made.pop();
    }
    return false;
  }

  #at(place: string): Choice | undefined {
    return this.#made.find((choice) => choice.place === place);
  }
}

interface Choice {
  readonly place: string;
  readonly options: readonly number[];
  at: number;
}

/**
 * Records which branch of each `anyOf` and `oneOf` to repair. A choice holds for a whole attempt, so that a repair
 * for one branch is not undone for another.
 */
export class BranchChoices {
  readonly #made: Choice[] = [];

  /**
   * Returns the branch to repair.
   * @param place identifies the composite and the value that it checks
   * @param options returns the branches worth repairing, best first; called only once
   */
  of(place: string, options: () => readonly number[]): number | undefined {
    if (this.#at(place) === undefined) this.#made.push({ place, options: options(), at: 0 });
    return this.made(place);
  }

  /** Returns the chosen branch. */
  made(place: string): number | undefined {
    const choice = this.#at(place);
    return choice?.options[choice.at];
  }

  /** Moves on to the next branch of a composite that failed despite the repairs; false if there is none. */
  advance(place: string): boolean {
    const choice = this.#at(place);
    if (choice === undefined || choice.at + 1 >= choice.options.length) return false;
    choice.at += 1;
    return true;
  }

  /** Moves the most recent choice on to its next branch; false if all branches have been tried. */
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

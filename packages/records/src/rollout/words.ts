/**
 * The start of a record's reason for faults that no mode blocks, which distinguishes them from faults that strict
 * blocks.
 */
export const NOTED_PREFIX = "noted in every mode: ";

/** The word after the outcome, in records of calls, if the schema refers to another document. */
export const EXTERNAL_REFERENCE_WORD = "external_reference";

/** The word after `missing`, in records of calls, if the settings of the call let strict block such a result. */
export const BLOCKABLE_WORD = "block";

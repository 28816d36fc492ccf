// How sure facts from documents are, and how sure a fact must be to count. All figures are here: those above a bar and the
// bar itself only mean something together. `npm run bench -- autofill` prints how often values of each are right.

export const confidences = {
  /** A sure label, owner and period, and nothing that says otherwise. Of documents nobody had tuned to, 0.92 to 0.94. */
  sure: 0.9,
  /** As sure, but OCR was not: suggested, and still enough to contradict other documents and the record. */
  recognised: 0.8,
  one_doubt: 0.3,
  more_doubts: 0.15,
} as const

/** Below these a value is only ever suggested; what a document says must be surer than what somebody has said. */
export const fillFrom = { documents: 0.85, others: 0.5 } as const
/** From here on a document is believed enough to doubt others. */
export const believedFrom: number = confidences.recognised
/** Two values that are this close are for a person to choose between. */
export const disputeWithin = 0.15

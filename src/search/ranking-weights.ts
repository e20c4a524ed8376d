/** Two bits of a posting belong to each, in this order. */
export const FIELDS = ['name', 'server', 'lead', 'rest', 'parameters', 'parameterTexts', 'serverText', 'tags'] as const;

export type FieldName = (typeof FIELDS)[number];

/** The numbers of the ranking, found by measurement: see docs/decisions/0010-search.md. */
export const WEIGHTS = {
  /** The weight of a word in a field, and the effect of the field's length (b of BM25). */
  fields: {
    name: { weight: 1.5, length: 0.3 },
    server: { weight: 1.5, length: 0.3 },
    lead: { weight: 1, length: 0.6 },
    rest: { weight: 0.25, length: 0.6 },
    parameters: { weight: 1.2, length: 0.6 },
    parameterTexts: { weight: 0.6, length: 0.6 },
    serverText: { weight: 0.3, length: 0.6 },
    tags: { weight: 1.5, length: 0.3 },
  },
  /** How slowly a repeated word stops counting (k1 of BM25). */
  saturation: 1.2,
  /** Added to the weight of each word that a tool has. */
  presence: 0.25,
  request: 0.5,
  synonym: 0.5,
  typo: 0.8,
  typoShort: 0.5,
  clause: 0.9,
  nameCover: 0.33,
  nameSynonym: 0.5,
  /** Of the similarity to the needs for which a tool was called before. */
  use: 2.5,
  /** What a tool loses of its words if it was called only for other needs. */
  otherNeeds: 0.7,
  /** Of the similarity in meaning; divided by the number of clauses. */
  meaning: 1.6,
} as const satisfies { readonly fields: Readonly<Record<FieldName, object>>; readonly [name: string]: unknown };

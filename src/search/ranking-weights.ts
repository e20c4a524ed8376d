/** The numbers of the ranking, found by measurement: see docs/decisions/0010-search.md. */
export interface Weights {
  /** How much a word counts by where it is written, and how much the length of that text costs (b of BM25). */
  readonly fields: Readonly<Record<FieldName, { readonly weight: number; readonly length: number }>>;
  /** How fast a repeated word stops to count (k1 of BM25). */
  readonly saturation: number;
  /** What a word counts for being there at all. */
  readonly presence: number;
  readonly request: number;
  readonly synonym: number;
  readonly typo: number;
  readonly typoShort: number;
  readonly clause: number;
  readonly nameCover: number;
  readonly nameSynonym: number;
  readonly remembered: number;
  /** Of the cosine that a model gives; divided by the number of clauses. */
  readonly meaning: number;
}

export type FieldName = (typeof FIELDS)[number];

/** Two bits of a posting belong to each, in this order. */
export const FIELDS = ['name', 'server', 'lead', 'rest', 'parameters', 'parameterTexts', 'serverText', 'tags'] as const;

export const WEIGHTS: Weights = {
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
  saturation: 1.2,
  presence: 0.25,
  request: 0.5,
  synonym: 0.5,
  typo: 0.8,
  typoShort: 0.5,
  clause: 0.9,
  nameCover: 0.33,
  nameSynonym: 0.5,
  remembered: 1,
  meaning: 1.6,
};

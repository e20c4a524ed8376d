/** The numbers of the ranking, found by measurement: see docs/decisions/0010-search.md. */
export interface Weights {
  /** How much a word counts by where it is written, how many words a usual text there has, and how much length costs. */
  readonly fields: Readonly<Record<FieldName, FieldWeight>>;
  /** How fast a word that is written again stops to count. */
  readonly saturation: number;
  readonly synonym: number;
  readonly typo: number;
  readonly asking: number;
  readonly quoted: number;
  readonly number: number;
  readonly namePart: number;
  readonly clause: number;
  readonly nameCover: number;
  readonly server: number;
  /** A tool that has this many of a need's strongest words has all that a tool can have of it. */
  readonly fullWords: number;
  readonly remembered: number;
  /** How much a model has to say, where there is one. */
  readonly likeness: number;
}

export type FieldName =
  | 'name'
  | 'server'
  | 'description'
  | 'details'
  | 'parameters'
  | 'parameterTexts'
  | 'tags'
  | 'serverText';

interface FieldWeight {
  readonly weight: number;
  readonly usual: number;
  readonly length: number;
}

export const WEIGHTS: Weights = {
  fields: {
    name: { weight: 2.4, usual: 3, length: 0.5 },
    server: { weight: 1, usual: 2, length: 0.3 },
    description: { weight: 0.9, usual: 14, length: 0.8 },
    details: { weight: 0.15, usual: 40, length: 0.8 },
    parameters: { weight: 0.5, usual: 5, length: 0.5 },
    parameterTexts: { weight: 0.35, usual: 20, length: 0.6 },
    tags: { weight: 1, usual: 2, length: 0.3 },
    serverText: { weight: 0.4, usual: 14, length: 0.6 },
  },
  saturation: 1.2,
  synonym: 0.35,
  typo: 0.6,
  asking: 0.5,
  quoted: 0.4,
  number: 0.3,
  namePart: 0.5,
  clause: 0.5,
  nameCover: 0.2,
  server: 0.1,
  fullWords: 4,
  remembered: 1,
  likeness: 0.4,
};

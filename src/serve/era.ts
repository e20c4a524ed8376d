/** The two generations of the protocol: with a greeting and a session, or with everything in each request. */
export type Era = 'legacy' | 'modern';

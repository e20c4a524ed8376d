/** A `readonly` type while its value is being built. */
export type Mutable<T> = { -readonly [K in keyof T]: T[K] };

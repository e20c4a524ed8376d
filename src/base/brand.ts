declare const brand: unique symbol;

/** A string (or other value) that only its one maker can produce. */
export type Brand<T, Name extends string> = T & { readonly [brand]: Name };

declare const brand: unique symbol;

/** A string (or other value) that only one function can create. */
export type Brand<T, Name extends string> = T & { readonly [brand]: Name };

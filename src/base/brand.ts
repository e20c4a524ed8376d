declare const brand: unique symbol;

/** A type for values that only one function creates, such as a validated string. */
export type Brand<T, Name extends string> = T & { readonly [brand]: Name };

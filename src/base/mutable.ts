/** A value that is still being put together; everyone else sees it `readonly`. */
export type Mutable<T> = { -readonly [K in keyof T]: T[K] };

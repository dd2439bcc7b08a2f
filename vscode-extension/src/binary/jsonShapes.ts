// Validates JSON values against types: every field must be present and of its type. Additional fields are allowed.

/** Returns the value with its type, or throws an error with the path of the mismatch. */
export type JsonShape<T> = (value: unknown, at: string) => T;

const refuse = (at: string, wanted: string, value: unknown): never => {
  const found = value === undefined ? 'nothing' : value === null ? 'null' : Array.isArray(value) ? 'a list' : typeof value;
  throw new Error(`${at}: expected ${wanted}, found ${found}`);
};

export const text: JsonShape<string> = (value, at) => (typeof value === 'string' ? value : refuse(at, 'a text', value));

export const number: JsonShape<number> = (value, at) => (typeof value === 'number' ? value : refuse(at, 'a number', value));

export const flag: JsonShape<boolean> = (value, at) => (typeof value === 'boolean' ? value : refuse(at, 'true or false', value));

export const orNull =
  <T>(shape: JsonShape<T>): JsonShape<T | null> =>
  (value, at) =>
    value === null ? null : shape(value, at);

/** Accepts a field that older binaries do not print. */
export const optional =
  <T>(shape: JsonShape<T>): JsonShape<T | undefined> =>
  (value, at) =>
    value === undefined ? undefined : shape(value, at);

/** Accepts any string. Newer binaries may print words that this extension does not know, and they are shown as they
 *  are. */
export const word =
  <T extends string>(): JsonShape<T> =>
  (value, at) =>
    text(value, at) as T;

export const list =
  <T>(shape: JsonShape<T>): JsonShape<T[]> =>
  (value, at) => {
    if (!Array.isArray(value)) return refuse(at, 'a list', value);
    for (const [index, entry] of value.entries()) shape(entry, `${at}[${index}]`);
    return value as T[];
  };

/** Accepts an object with at least these fields. The compiler requires a shape for every field of the type. */
export const object =
  <T extends object>(fields: { [Key in keyof T]-?: JsonShape<T[Key]> }): JsonShape<T> =>
  (value, at) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return refuse(at, 'an object', value);
    for (const key of Object.keys(fields) as (keyof T & string)[]) fields[key]((value as Record<string, unknown>)[key], `${at}.${key}`);
    return value as T;
  };

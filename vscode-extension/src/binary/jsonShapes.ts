// What a value from outside must be to be taken for a type: nothing is missing and nothing is of another type. More may
// be there. Knows nothing of agents.

/** Gives the value as what it is, or throws with the place where it is not. */
export type Shape<T> = (value: unknown, at: string) => T;

const refuse = (at: string, wanted: string, value: unknown): never => {
  const found = value === undefined ? 'nothing' : value === null ? 'null' : Array.isArray(value) ? 'a list' : typeof value;
  throw new Error(`${at}: expected ${wanted}, found ${found}`);
};

export const text: Shape<string> = (value, at) => (typeof value === 'string' ? value : refuse(at, 'a text', value));

export const number: Shape<number> = (value, at) => (typeof value === 'number' ? value : refuse(at, 'a number', value));

export const flag: Shape<boolean> = (value, at) => (typeof value === 'boolean' ? value : refuse(at, 'true or false', value));

export const orNull =
  <T>(shape: Shape<T>): Shape<T | null> =>
  (value, at) =>
    value === null ? null : shape(value, at);

/** A field that older binaries do not print. */
export const optional =
  <T>(shape: Shape<T>): Shape<T | undefined> =>
  (value, at) =>
    value === undefined ? undefined : shape(value, at);

/** A word that today is one of these; a newer binary may know more, and those are shown as they are. */
export const word =
  <T extends string>(): Shape<T> =>
  (value, at) =>
    text(value, at) as T;

export const list =
  <T>(shape: Shape<T>): Shape<T[]> =>
  (value, at) => {
    if (!Array.isArray(value)) return refuse(at, 'a list', value);
    for (const [index, entry] of value.entries()) shape(entry, `${at}[${index}]`);
    return value as T[];
  };

/** An object with at least these fields; the compiler sees to it that none of the type is forgotten. */
export const object =
  <T extends object>(fields: { [Key in keyof T]-?: Shape<T[Key]> }): Shape<T> =>
  (value, at) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return refuse(at, 'an object', value);
    for (const key of Object.keys(fields) as (keyof T & string)[]) fields[key]((value as Record<string, unknown>)[key], `${at}.${key}`);
    return value as T;
  };

// Style sheets that the build inserts as text.
declare module "*.css" {
  const text: string;
  export default text;
}

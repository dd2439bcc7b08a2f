export interface Publishing {
  repository: string;
  publisher: string;
  branch: string;
}
export function manifestFor(manifest: Record<string, unknown>, publishing: Publishing): Record<string, unknown>;
export const SOURCE_TITLES: Record<string, string>;
export function installStepFor(step: string, publishing: Publishing): string;
export function textsFor(file: string, texts: Record<string, string>, publishing: Publishing): Record<string, string>;
export function readmeFor(readme: string, publishing: Publishing, read: (path: string) => Buffer): string;
